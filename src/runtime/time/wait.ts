import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";

/** How a wait for something outside of this process ends before its time, and who is told of a long one. */
export interface Wait {
  /** Ends it at once. */
  readonly signal?: AbortSignal | undefined;
  /** Told once, after `limits.waitToldMs`, what is waited for. */
  readonly told?: ((what: string) => void) | undefined;
}

/** Does `work`; tells what it is, as the end of "waiting for", where that takes long. */
export async function told<T>(
  { clock, notice }: { readonly clock: Clock; readonly notice?: ((what: string) => void) | undefined },
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const cancel = clock.after(limits.waitToldMs, () => notice?.(`waiting for ${what}`));
  try {
    return await work();
  } finally {
    cancel();
  }
}
