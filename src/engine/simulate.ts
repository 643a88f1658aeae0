import type { Plan } from "../graph/plan.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, RunStarted } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import { advance } from "./advance.ts";
import { initial } from "./state.ts";

/**
 * The events of a run whose outcomes are assumed: attempts end in the order of their starts, nothing takes time. Ends
 * with the run, or after `limits.simulatedStarts`.
 */
export function simulate(
  plan: Plan,
  opening: readonly [RunStarted, ...EventBody[]],
  assume: (attempt: Attempt) => NodeResult,
): EventBody[] {
  const state = initial(plan);
  const events: EventBody[] = [];
  const waiting: EventBody[] = [];
  for (let next = -1; next < waiting.length && next < limits.simulatedStarts; next += 1) {
    const step = advance(state, next < 0 ? opening : waiting.slice(next, next + 1), 0);
    events.push(...step.events);
    for (const command of step.commands) {
      if (command.type !== "perform") continue;
      const { node, pass, attempt } = command;
      waiting.push({ type: "node.ended", node, pass, attempt, result: assume({ node, pass, attempt }) });
    }
  }
  return events;
}
