import type { Clock } from "../../ports/clock.ts";

export function timer(clock: Clock, ms: number): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const over = new AbortController();
  return { signal: over.signal, cancel: clock.after(ms, () => over.abort()) };
}

/** The promise's value, or `stopped` where the signal comes first. */
export async function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "stopped"> {
  const { promise: stopped, resolve } = Promise.withResolvers<"stopped">();
  const onAbort = (): void => resolve("stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Whatever it ends with after that is nobody's concern.
    promise.catch(() => undefined);
  }
}

/** The promise's value, or null where it takes longer. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | null> {
  const { signal, cancel } = timer(clock, ms);
  try {
    const value = await orStopped(promise, signal);
    return value === "stopped" ? null : value;
  } finally {
    cancel();
  }
}
