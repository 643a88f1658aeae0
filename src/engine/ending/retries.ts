import { at, item } from "../../graph/ints.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { EventBody, NodeEnded } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { ReasonCode } from "../../model/outcome.ts";
import { fits } from "../fits.ts";
import { isAgentic } from "../limits/caps.ts";
import { isSpentAfter } from "../limits/usage.ts";
import { nextHalt } from "./halts.ts";
import type { RunState } from "../state.ts";

/**
 * The incoming event, or `node.retrying` in its place where an error may be tried again: the node has retries left
 * and either nothing outside was touched or its author called it idempotent. Gates are never tried again, nor is
 * what misses the word of a person, an agent whose budget is used up, or anything once the run halts. `now` is in
 * milliseconds since the epoch.
 */
export function asRetry(state: RunState, event: EventBody, now: number): EventBody {
  if (event.type !== "node.ended" || event.result.outcome !== "error" || !fits(state, event)) return event;
  const node = nodeIndex(state.plan, event.node);
  if (!mayRetry(state, node, event)) return event;
  const backOffMs = Math.min(limits.retryFirstDelayMs * 2 ** at(state.retries, node), limits.retryMaxDelayMs);
  const { retryAfterMs = 0 } = event.result;
  if (retryAfterMs <= backOffMs) return { ...event, type: "node.retrying", delayMs: backOffMs };
  // Sooner than a provider asked to wait, the retry would only be another one spent.
  return { ...event, type: "node.retrying", delayMs: retryAfterMs, until: now + retryAfterMs };
}

/** Up to so much longer than `delayMs` is waited, by chance: runs that failed together do not all come back at once. */
export function retryJitterMs(delayMs: number): number {
  return Math.min(delayMs * limits.retryJitterRatio, limits.retryMaxDelayMs);
}

function mayRetry(state: RunState, node: number, event: NodeEnded): boolean {
  if (state.halt !== null || nextHalt(state) !== null || state.lost.has(node)) return false;
  const declared = item(state.plan.nodes, node);
  if (declared.type === "human") return false;
  if (event.result.survivors !== undefined || withoutWord.has(event.result.reason?.code)) return false;
  if (event.result.beforeEffect !== true && declared.idempotent !== true) return false;
  if ((event.result.retryAfterMs ?? 0) > limits.quotaWaitMaxMs) return false;
  if (isAgentic(state, node) && isSpentAfter(state, node, event.result)) return false;
  return at(state.retries, node) < retriesOf(state, node) + waitsOf(state, event);
}

const withoutWord: ReadonlySet<ReasonCode | undefined> = new Set(["no_terminal", "end_of_input"]);

/**
 * A provider that is out of quota and says for how long is waited for, whether or not the node is to be tried again.
 */
function waitsOf(state: RunState, { result }: NodeEnded): number {
  const asked = result.reason?.code === "quota" && result.retryAfterMs !== undefined;
  return asked && state.maxRetries === null ? limits.quotaWaits : 0;
}

function retriesOf(state: RunState, node: number): number {
  return state.maxRetries ?? item(state.plan.nodes, node).retry ?? state.limits.retries ?? limits.retriesDefault;
}
