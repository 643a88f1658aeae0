import type { Command } from "../model/commands.ts";
import type { EventBody } from "../model/events.ts";
import { commandsFor, timeCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import { take } from "./reduce.ts";
import { asRetry } from "./ending/retries.ts";
import { raceSettled } from "./routing/races.ts";
import { dropLosers } from "./routing/starts.ts";
import { isWorking, type RunState } from "./state.ts";

export interface Step {
  /** What was taken of the incoming events and what was decided, in order; commit them together. */
  readonly events: readonly EventBody[];
  /** To be carried out once the events are committed. */
  readonly commands: readonly Command[];
}

/**
 * Takes events from the world and goes on until nothing more follows. Updates `state` in place. An incoming event that
 * no longer means anything, such as the outcome of an attempt that has been settled, is dropped; an error that may be
 * tried again becomes `node.retrying`. `now` is in milliseconds and the same for all events of the step.
 */
export function advance(state: RunState, incoming: readonly EventBody[], now: number): Step {
  const events: EventBody[] = [];
  const commands: Command[] = [];
  // The timer of an engine that died is not this one's.
  const wasWorking = isWorking(state) && !incoming.some((event) => event.type === "run.resumed");
  const goOn = (event: EventBody): boolean => {
    if (!take(state, event, now)) return false;
    events.push(event);
    for (const command of commandsFor(state, event)) commands.push(command);
    return true;
  };
  const races: number[] = [];
  for (const event of incoming) {
    const race = raceSettled(state, event);
    if (goOn(asRetry(state, event, now)) && race >= 0) races.push(race);
  }
  // As where the join starts: what it no longer needs does not begin.
  for (const join of races) for (const event of dropLosers(state, join)) goOn(event);
  for (let next = decide(state); next.length > 0; next = decide(state)) {
    // Deciding what does not fit would go on for ever.
    for (const event of next) if (!goOn(event)) throw new Error(`engine: cannot take ${JSON.stringify(event)}`);
  }
  commands.push(...timeCommand(state, wasWorking));
  return { events, commands };
}
