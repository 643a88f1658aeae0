import type { Blueprint } from "../model/blueprint.ts";
import type { CallNode, Node } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import type { Money } from "../model/settings.ts";
import { bodyBlueprint } from "./body.ts";
import { compile, type Plan } from "./plan.ts";
import { type BoundOptions as RunOptions, costOfRun, type Inside, type RunCost, type Unknown } from "./run-cost.ts";

/**
 * The most that one run can cost, runs inside it included. Null is "nothing bounds it", or unknown
 * where `unknown` says so; never a guess, and 0 only where it is 0.
 */
export interface Bound {
  /**
   * By path of each node with a cap or an agent: `call/node`, `map[*]/node` for all items together. Passes of earlier
   * runs of the task count against the cap of an agent and only lower this.
   */
  readonly passes: Readonly<Record<string, number | null>>;
  /** Passes of all agentic nodes together. */
  readonly agentPasses: number | null;
  /** Starts of all nodes; retries do not count. */
  readonly starts: number | null;
  /** Milliseconds in which something works, retries and their delays included, and waits inside calls and maps. */
  readonly workMs: number | null;
  /**
   * Milliseconds in which nothing may work but the run waits for a person or a time; null where a wait has no timeout.
   */
  readonly waitMs: number | null;
  /** Turns of models, over all attempts. */
  readonly turns: number | null;
  /** By `limits.tokens` and `limits.cost` of the runs; null where no limit bounds an agent. */
  readonly tokens: number | null;
  readonly cost: Money | null;
  /** Calls that could not be followed, and why. */
  readonly unknown: readonly Unknown[];
}

export interface BoundOptions extends RunOptions {
  /** What calls lead to, by `pin`; the calls of each have theirs. */
  readonly callees?: ReadonlyMap<string, Blueprint>;
  /** Why calls have no `pin`, where that is known. */
  readonly notFound?: string;
}

export function boundOf(plan: Plan, options: BoundOptions = {}): Bound {
  const cost = new Bounds(options).ofTopRun(plan);
  const agents = [...cost.passes.values()].filter(({ agentic }) => agentic);
  const agentPasses = agents.reduce((sum, { ofRun }) => sum + ofRun, 0);
  return {
    passes: Object.fromEntries([...cost.passes].map(([path, { ofRun }]) => [path, finite(ofRun)])),
    agentPasses: finite(agentPasses),
    starts: finite(cost.starts),
    workMs: finite(cost.workMs),
    waitMs: finite(cost.waitMs),
    turns: finite(cost.turns),
    tokens: finite(cost.tokens),
    cost: cost.cost.amount === Infinity ? null : cost.cost,
    unknown: cost.unknown,
  };
}

/** Each callee is computed once, however many ways lead to it. */
class Bounds {
  readonly #options: BoundOptions;
  /** By pin; null while it is being computed. */
  readonly #callees = new Map<string, RunCost | null>();

  constructor(options: BoundOptions) {
    this.#options = options;
  }

  ofTopRun(plan: Plan): RunCost {
    return costOfRun(plan, (node) => this.#inside(node, plan.blueprint), this.#options);
  }

  /** Limits of the command line are the top run's own. */
  #ofRun(blueprint: Blueprint): RunCost {
    return costOfRun(compile(blueprint), (node) => this.#inside(node, blueprint), {});
  }

  #inside(node: Node, around: Blueprint): Inside | null {
    if (node.type === "call") return { run: this.#callee(node), runs: 1, atOnce: 1, prefix: `${node.id}/` };
    if (node.type !== "map") return null;
    const runs = node.max ?? limits.mapDefaultItems;
    const run = this.#ofRun(bodyBlueprint(around, node.do));
    return { run, runs, atOnce: Math.min(node.parallel ?? 1, runs), prefix: `${node.id}[*]/` };
  }

  #callee({ pin, blueprint, solution }: CallNode): RunCost {
    if (solution !== undefined) return unknown("there is no library of solutions yet");
    const callee = pin === undefined ? undefined : this.#options.callees?.get(pin);
    if (pin === undefined || callee === undefined)
      return unknown(this.#options.notFound ?? `${blueprint ?? "its blueprint"} was not looked up`);
    const known = this.#callees.get(pin);
    if (known === null) return unknown(`${blueprint ?? callee.name} calls itself`);
    if (known !== undefined) return known;
    this.#callees.set(pin, null);
    const cost = this.#ofRun(callee);
    this.#callees.set(pin, cost);
    return cost;
  }
}

function unknown(reason: string): RunCost {
  return {
    passes: new Map([["…", { ofRun: Infinity, ofTask: Infinity, agentic: true }]]),
    starts: Infinity,
    workMs: Infinity,
    waitMs: Infinity,
    turns: Infinity,
    turnsOfTask: Infinity,
    tokens: Infinity,
    cost: { amount: Infinity, currency: "USD" },
    unknown: [{ node: "", reason }],
  };
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}
