import type { WaitNode } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";

/**
 * Performs `wait` nodes. Both forms are counted from what the journal knows, so that a wait goes on over a restart as
 * if nothing had been: `for` from the start of the pass, `until` by the clock on the wall.
 */
export function createWaitPerformer(clock: Clock): Performer<WaitNode> {
  return {
    type: "wait",
    class: "deterministic",
    missing,
    perform: (context) => wait(context, clock),
  };
}

function missing({ forMs, until }: WaitNode): string | null {
  if ((forMs === undefined) === (until === undefined)) return "it needs either `for` or `until`";
  if (until === undefined || !Number.isNaN(Date.parse(until))) return null;
  return `"${until}" is no time; write it as ISO 8601, e.g. 2026-12-01T09:00:00+10:00`;
}

async function wait({ node, since, signal }: ActionContext<WaitNode>, clock: Clock): Promise<NodeResult> {
  const { forMs, until } = node;
  const leftMs = (): number =>
    until === undefined ? since + (forMs ?? 0) - clock.now() : Date.parse(until) - clock.wall();
  // A wall clock can be set: the rest is asked for again before it is long over.
  for (let left = leftMs(); left > 0; left = leftMs()) {
    if (signal.aborted) return { outcome: "cancelled", reason: { code: "cancelled", text: "stopped while it waited" } };
    await pause(Math.min(left, limits.waitLookMs), clock, signal);
  }
  return { outcome: "success" };
}

/** Ends early on an abort. */
function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = clock.after(ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => {
    disarm();
    signal.removeEventListener("abort", onAbort);
  });
}
