import type { Command } from "../model/commands.ts";
import type { EventBody } from "../model/events.ts";
import { commandsFor, timeCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import { fits } from "./fits.ts";
import { reduce } from "./reduce.ts";
import { asRetry } from "./retries.ts";
import { isWorking, type RunState } from "./state.ts";

export interface Step {
  /** What was taken of the incoming events and what was decided, in order; commit them together. */
  readonly events: readonly EventBody[];
  /** To be carried out once the events are committed. */
  readonly commands: readonly Command[];
}

/**
 * Takes events from the world and goes on until nothing more follows. Updates `state` in place. An incoming event that no longer means
 * anything, such as the outcome of an attempt that has been settled, is dropped; an error that may be tried again becomes
 * `node.retrying`. `now` is in milliseconds and the same for all events of the step.
 */
export function advance(state: RunState, incoming: readonly EventBody[], now: number): Step {
  const events: EventBody[] = [];
  const commands: Command[] = [];
  // The timer of an engine that died is not this one's.
  const wasWorking = isWorking(state) && !incoming.some((event) => event.type === "run.resumed");
  const take = (event: EventBody): boolean => {
    if (!fits(state, event)) return false;
    reduce(state, event, now);
    events.push(event);
    commands.push(...commandsFor(state, event));
    return true;
  };
  for (const event of incoming) take(asRetry(state, event, now));
  for (let next = decide(state); next.length > 0; next = decide(state)) {
    // Deciding what does not fit would go on for ever.
    if (!next.map(take).every(Boolean)) throw new Error(`engine: cannot take ${JSON.stringify(next)}`);
  }
  return { events, commands: [...commands, ...timeCommand(state, wasWorking)] };
}
