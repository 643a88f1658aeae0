import { at, item } from "../graph/ints.ts";
import type { Command } from "../model/commands.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, RunHalting } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import { isReopenable } from "../model/outcome.ts";
import { nodeIndex } from "../graph/plan.ts";
import { isIdler } from "./routing/moves.ts";
import { cancelsLosers } from "./routing/races.ts";
import { isWorking, type RunState } from "./state.ts";
import { remainingTime } from "./limits/time.ts";
import { overspent } from "./limits/usage.ts";
import { unfinished } from "./ending/unfinished.ts";

/** What the runtime must do once this event, just reduced, is committed. */
export function commandsFor(state: RunState, event: EventBody): readonly Command[] {
  switch (event.type) {
    case "node.started":
      return [...cancelLosers(state, event.node), performing(event), ...cancelLost(state, event)];
    case "node.waiting":
      return state.halt !== null && onlyWaits(state, event.node) ? [letGo(state.halt, attemptOf(event))] : [];
    case "node.queued":
    case "node.settled":
      return cancelLosers(state, event.node);
    case "node.retrying":
      return [{ type: "retry_after", ...attemptOf(event), delayMs: event.delayMs }];
    case "run.resumed":
      return [...state.delayed.keys()].map((node) => ({
        type: "retry_after",
        ...current(state, node),
        // No longer than any pause may be, where the clock was set back meanwhile.
        delayMs: Math.min(Math.max(0, (state.asleep.get(node) ?? 0) - state.lastAt), limits.quotaWaitMaxMs),
      }));
    case "run.time_spent":
      // What only waits goes with the halt that follows, and takes no time until then.
      return cancelRunning(state, "limit", (node) => !isIdler(state, node));
    case "run.halting":
      if (event.cause === "stopped") return cancelRunning(state, "stopped", () => true);
      return [
        ...unfinished(state)
          .filter(({ node }) => onlyWaits(state, node))
          .map((attempt) => letGo(event, attempt)),
        ...(overspent(state) === null ? [] : cancelRunning(state, "limit", (node) => state.spending.has(node))),
      ];
    default:
      return none;
  }
}

const none: readonly Command[] = [];

function performing({ node, pass, attempt }: Attempt): Command {
  return { type: "perform", node, pass, attempt };
}

type Why = Extract<Command, { readonly type: "cancel" }>["why"];

function cancelRunning(state: RunState, why: Why, which: (node: number) => boolean): Command[] {
  return unfinished(state)
    .filter(({ node }) => which(nodeIndex(state.plan, node)))
    .map((attempt) => ({ type: "cancel", why, ...attempt }));
}

/** One that its join went on without has been told to end. */
function onlyWaits(state: RunState, id: string): boolean {
  const node = nodeIndex(state.plan, id);
  return isIdler(state, node) && !state.lost.has(node);
}

/**
 * A halt lets work finish, but nobody is asked and nothing waited for any more: not before a decision goes on with the
 * run, or never where none can.
 */
function letGo({ cause }: RunHalting, attempt: Attempt): Command {
  return isReopenable(cause) ? { type: "suspend", ...attempt } : { type: "cancel", why: "halted", ...attempt };
}

function cancelLosers(state: RunState, id: string): readonly Command[] {
  if (state.lost.size === 0 || !cancelsLosers(state, nodeIndex(state.plan, id))) return none;
  return [...state.lost].map((node) => ({ type: "cancel", why: "lost_join", ...current(state, node) }));
}

/**
 * One that a join went on without begins once more, after a crash, only so that what runs inside it comes to its end.
 */
function cancelLost(state: RunState, event: Attempt): readonly Command[] {
  if (!state.lost.has(nodeIndex(state.plan, event.node))) return none;
  return [{ type: "cancel", why: "lost_join", ...attemptOf(event) }];
}

/** Arms the time limit when work begins, disarms it when none is left. */
export function timeCommand(state: RunState, wasWorking: boolean): readonly Command[] {
  const works = isWorking(state) && state.phase === "live";
  if (works === wasWorking) return [];
  return [{ type: "time_limit", remainingMs: works ? remainingTime(state) : null }];
}

function attemptOf({ node, pass, attempt }: Attempt): Attempt {
  return { node, pass, attempt };
}

function current(state: RunState, node: number): Attempt {
  return { node: item(state.plan.ids, node), pass: at(state.pass, node), attempt: at(state.attempt, node) };
}
