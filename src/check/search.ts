import { forwardOrder } from "../graph/order.ts";
import type { Plan } from "../graph/plan.ts";
import { Reach } from "../graph/reach.ts";
import { limits } from "../model/limits.ts";
import type { Spend, Way } from "./first-pass.ts";
import { FirstPass, Ways } from "./first-pass.ts";

/** What a bounded search can say. */
export type Answer = "yes" | "no" | "unknown";

/**
 * What a run is looked for to do, and whether one that has come so far still can. One for each run that is followed.
 */
export interface Hope {
  /** Something arrives at a node where nothing was. */
  arrived(node: number): void;
  /**
   * A node is next; `starts` says whether it starts or is skipped. It ends
   * next, lasts, or the run is no longer looked at.
   */
  next(node: number, starts: () => boolean): "ends" | "skipped" | "lasts" | Answer;
  /** Whether there is hope when a node ends in this way. */
  remains(node: number, way: Way): boolean;
  /** Nothing is due any more. */
  over(): Answer;
}

/** At one node of a run: which of its ways that leave hope is taken, of how many. */
interface Choice {
  taken: number;
  of: number;
}

/**
 * Looks for first passes of runs. They are followed in the order of arcs, by endings that
 * leave hope; where a broken arm then skips what is needed, another ending is tried.
 * Without broken arms the first run is the one, if there is any.
 */
export class Search {
  readonly plan: Plan;
  readonly spend: Spend;
  /** Nodes and edges, which is what one look at the whole graph takes. */
  readonly visits: number;
  /** Nodes in an order in which arcs, loop edges left out, lead forward. */
  readonly order: readonly number[];
  readonly ways: Ways;
  readonly reach: Reach;

  constructor(plan: Plan, spend: Spend) {
    this.plan = plan;
    this.spend = spend;
    this.visits = plan.graph.size + plan.graph.from.length;
    this.order = forwardOrder(plan);
    this.ways = new Ways(plan);
    this.reach = new Reach(plan);
  }

  /** "yes" and "no" are certain as far as hope is told well. */
  find(hopeIn: (pass: FirstPass) => Hope): Answer {
    let sofar: Answer = "no";
    const choices: Choice[] = [];
    for (let tries = 0; tries < limits.orderTries && this.spend(this.visits); tries += 1) {
      const answer = this.#follow(hopeIn, choices);
      if (answer === "yes") return answer;
      if (answer === "unknown") sofar = answer;
      while (isExhausted(choices.at(-1))) choices.pop();
      const last = choices.at(-1);
      if (last === undefined) return sofar;
      last.taken += 1;
    }
    return "unknown";
  }

  /** Follows one run as far as the choices say, then by the first way that leaves hope; adds the choices it had. */
  #follow(hopeIn: (pass: FirstPass) => Hope, choices: Choice[]): Answer {
    const pass = new FirstPass(this.plan, this.reach, this.spend);
    const hope = hopeIn(pass);
    hope.arrived(this.plan.entry);
    let sofar: Answer = "no";
    let decided = 0;
    for (const node of this.order) {
      if (pass.arrivalsAt(node) === 0) continue;
      const next = hope.next(node, () => pass.starts(node));
      if (next === "skipped" || next === "lasts") continue;
      if (next !== "ends") return next === "no" ? sofar : next;
      const hopeful = this.ways.of(node).filter((way) => hope.remains(node, way));
      const ways = distinct(hopeful.filter(({ repeats }) => !repeats));
      if (hopeful.some(({ repeats }) => repeats)) sofar = "unknown";
      const choice = (choices[decided] ??= { taken: 0, of: ways.length });
      decided += 1;
      const way = ways[choice.taken];
      if (way === undefined) return sofar;
      pass.end(node, way);
      for (const target of way.targets) if (pass.arrivalsAt(target) === 1) hope.arrived(target);
    }
    const end = hope.over();
    return end === "no" ? sofar : end;
  }
}

/** Of ways that start the same the first. */
function distinct(ways: readonly Way[]): readonly Way[] {
  if (ways.length < 2) return ways;
  return [...new Map(ways.toReversed().map((way) => [way.targets.join(), way])).values()].toReversed();
}

function isExhausted(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.taken + 1 >= choice.of;
}
