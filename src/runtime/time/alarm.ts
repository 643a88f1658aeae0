import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * Calls back once, `ms` after now, by the monotonic clock or by the one on the wall,
 * whichever gets there first: a machine that slept meanwhile is not waited for again. The
 * wall is looked at every `limits.waitLookMs`. Returns the cancellation.
 */
export function alarm(clock: Clock, ms: number, callback: () => void): () => void {
  const [since, sinceWall] = [clock.now(), clock.wall()];
  let disarm: () => void;
  const look = (): void => {
    const left = ms - Math.max(clock.now() - since, clock.wall() - sinceWall);
    if (left <= 0) callback();
    else disarm = clock.after(Math.min(left, limits.waitLookMs), look);
  };
  disarm = clock.after(Math.min(ms, limits.waitLookMs), look);
  return () => disarm();
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = alarm(clock, ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  disarm();
  signal.removeEventListener("abort", onAbort);
}
