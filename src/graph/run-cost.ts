import type { Node } from "../model/node.ts";
import { classOf, isWait } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import type { Money } from "../model/settings.ts";
import { timeoutOf } from "../model/timeouts.ts";
import { at, item } from "./ints.ts";
import { mostStarts } from "./most-starts.ts";
import { forwardOrder } from "./order.ts";
import type { Plan } from "./plan.ts";

/** The most that one run costs, with all that runs inside it; `Infinity` where nothing bounds it or it is unknown. */
export interface RunCost {
  /** By path of each node with a cap or an agent. */
  readonly passes: ReadonlyMap<string, Passes>;
  readonly starts: number;
  readonly workMs: number;
  readonly waitMs: number;
  readonly turns: number;
  /** Over all runs of the task at the same path: what the caps of agents leave, however often it is called. */
  readonly turnsOfTask: number;
  readonly tokens: number;
  readonly cost: Money;
  readonly unknown: readonly Unknown[];
}

export interface Passes {
  readonly ofRun: number;
  /** Over all runs of the task at the same path. */
  readonly ofTask: number;
  readonly agentic: boolean;
}

/** A call whose cost is unknown, by its path. */
export interface Unknown {
  readonly node: string;
  readonly reason: string;
}

/** What one pass of a call or a map runs. */
export interface Inside {
  readonly run: RunCost;
  readonly runs: number;
  /** Of these how many work at the same time. */
  readonly atOnce: number;
  /** What stands before the names inside. */
  readonly prefix: string;
}

export interface BoundOptions {
  readonly maxSteps?: number;
  readonly maxRetries?: number;
}

export type Insides = (node: Node) => Inside | null;

export function costOfRun(plan: Plan, insides: Insides, options: BoundOptions): RunCost {
  return new Costing(plan, insides, options).cost();
}

interface Started {
  readonly node: Node;
  readonly starts: number;
  readonly inside: Inside | null;
}

class Costing {
  readonly #plan: Plan;
  readonly #options: BoundOptions;
  readonly #steps: number;
  readonly #all: readonly Started[];

  constructor(plan: Plan, insides: Insides, options: BoundOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#steps = stepsOf(plan, options);
    const starts = mostStarts(plan, (node) => Math.min(this.#steps, capOf(item(plan.nodes, node))));
    this.#all = plan.nodes.map((node, index) => ({
      node,
      starts: index === plan.last ? Math.min(1, capOf(node)) : (starts[index] ?? Infinity),
      inside: insides(node),
    }));
  }

  cost(): RunCost {
    const limitMs = this.#plan.blueprint.limits.timeMs ?? limits.runTimeDefaultMs;
    return {
      passes: passesOf(this.#all),
      starts: this.#most(({ inside }) => 1 + (inside === null ? 0 : times(inside.runs, inside.run.starts))),
      workMs: Math.min(this.#busiest(), limitMs),
      waitMs: this.#most(({ node }) => waitOf(node)),
      turns: this.#most(
        (one) => this.#turns(one),
        (one) => this.#turnsOfTask(one),
      ),
      turnsOfTask: this.#all.reduce((sum, one) => sum + this.#turnsOfTask(one), 0),
      tokens: Math.min(
        this.#most(({ node, inside }) => (inside === null ? priceOf(node) : times(inside.runs, inside.run.tokens))),
        this.#plan.blueprint.limits.tokens ?? Infinity,
      ),
      cost: this.#cost(),
      unknown: unknownOf(this.#all),
    };
  }

  /** Limits in one currency say nothing of another. */
  #cost(): Money {
    const { cost: limit } = this.#plan.blueprint.limits;
    const paid = this.#all.flatMap(({ starts, inside }) =>
      inside !== null && starts > 0 && inside.run.cost.amount > 0 ? [inside.run.cost.currency] : [],
    );
    const currency = limit?.currency ?? paid[0] ?? "USD";
    const amount = this.#most(({ node, inside }) => {
      if (inside === null) return priceOf(node);
      const { cost } = inside.run;
      return times(inside.runs, cost.amount > 0 && cost.currency !== currency ? Infinity : cost.amount);
    });
    return { amount: Math.min(amount, limit?.amount ?? Infinity), currency };
  }

  /** The node of finally comes on top of the steps. */
  #most(weight: (one: Started) => number, ofTask: (one: Started) => number = () => Infinity): number {
    const { last } = this.#plan;
    const others = this.#all.filter((_, index) => index !== last);
    const closing = last < 0 ? [] : [item(this.#all, last)];
    return largestSum(others, weight, ofTask, this.#steps) + largestSum(closing, weight, ofTask, 1);
  }

  #turns({ node, inside }: Started): number {
    return inside === null ? this.#turnsOfPass(node) : times(inside.runs, inside.run.turns);
  }

  #turnsOfTask({ node, inside }: Started): number {
    return inside === null ? times(this.#turnsOfPass(node), capOf(node)) : times(inside.runs, inside.run.turnsOfTask);
  }

  #turnsOfPass(node: Node): number {
    if (node.type === "decide") return node.by.includes("model") ? Infinity : 0;
    if (node.type !== "agent" && node.type !== "agent_sandbox") return 0;
    const turns = node.turns ?? this.#plan.blueprint.agent.turns ?? limits.agentTurnsDefault;
    return turns * (1 + this.#retries(node));
  }

  #retries(node: Node): number {
    if (node.type === "human") return 0;
    return this.#options.maxRetries ?? node.retry ?? this.#plan.blueprint.limits.retries ?? limits.retriesDefault;
  }

  /**
   * Without loops the longest way counts whole and the rest is shared among the places (Graham 1966, for any schedule
   * that leaves no place empty while something is due); with loops everything may come one after the other.
   */
  #busiest(): number {
    const total = this.#most((one) => this.#duration(one));
    if (this.#plan.loops.length > 0 || total === Infinity) return total;
    const places = this.#plan.blueprint.limits.parallel ?? limits.parallelDefaultNodes;
    const weight = (node: number): number => {
      const one = item(this.#all, node);
      return times(one.starts, this.#duration(one));
    };
    const { last } = this.#plan;
    const longest = longestWay(this.#plan, weight) + (last < 0 ? 0 : weight(last));
    return Math.min(total, total / places + longest * (1 - 1 / places));
  }

  /** Of one pass, retries and their delays included. */
  #duration({ node, inside }: Started): number {
    const retries = this.#retries(node);
    const delays = delaysMs(node, retries);
    const attempt = isWait(node) ? 0 : (timeoutOf(node) ?? Infinity) + limits.terminationGraceMs;
    if (inside === null) return (1 + retries) * attempt + delays;
    const { run, runs, atOnce } = inside;
    // A wait inside holds the place of the node around it.
    const elapsed = Math.ceil(runs / atOnce) * (run.workMs + run.waitMs);
    // Each run inside happens once a pass, whatever the attempts; what one
    // leaves of the items of a map may come in the next.
    const all = runs === 1 ? Math.min(elapsed, (1 + retries) * attempt) : (1 + retries) * Math.min(elapsed, attempt);
    return all + delays;
  }
}

function passesOf(all: readonly Started[]): Map<string, Passes> {
  const passes = new Map<string, Passes>();
  for (const { node, starts, inside } of all) {
    const agentic = classOf(node) === "agentic";
    const cap = capOf(node);
    if (cap < Infinity) passes.set(node.id, { ofRun: starts, ofTask: agentic ? cap : Infinity, agentic });
    if (inside === null) continue;
    for (const [path, one] of listed(inside.run.passes)) {
      const ofTask = times(inside.runs, one.ofTask);
      const ofRun = Math.min(times(times(starts, inside.runs), one.ofRun), ofTask);
      passes.set(`${inside.prefix}${path}`, { ofRun, ofTask, agentic: one.agentic });
    }
  }
  return passes;
}

/** Where calls of calls would make more entries than anybody reads, one stands for all agents. */
function listed(passes: ReadonlyMap<string, Passes>): ReadonlyMap<string, Passes> {
  if (passes.size <= limits.boundPathsInside) return passes;
  const agents = [...passes.values()].filter(({ agentic }) => agentic);
  if (agents.length === 0) return new Map();
  const sum = (of: "ofRun" | "ofTask"): number => agents.reduce((total, one) => total + one[of], 0);
  return new Map([["…", { ofRun: sum("ofRun"), ofTask: sum("ofTask"), agentic: true }]]);
}

function unknownOf(all: readonly Started[]): readonly Unknown[] {
  const unknown: Unknown[] = [];
  for (const { node, starts, inside } of all) {
    if (inside === null || starts === 0) continue;
    for (const one of inside.run.unknown) {
      if (unknown.length === limits.boundPathsInside) return unknown;
      unknown.push({ ...one, node: one.node === "" ? node.id : `${inside.prefix}${one.node}` });
    }
  }
  return unknown;
}

/** What a pass may use of a model: nothing but limits bounds it. */
function priceOf(node: Node): number {
  const asks = node.type === "decide" ? node.by.includes("model") : classOf(node) === "agentic";
  return asks ? Infinity : 0;
}

function stepsOf(plan: Plan, options: BoundOptions): number {
  const steps = options.maxSteps ?? plan.blueprint.limits.steps;
  return steps ?? (plan.loops.length > 0 ? limits.stepsWithLoopDefault : Infinity);
}

function capOf(node: Node): number {
  return node.cap ?? (classOf(node) === "agentic" ? limits.capDefaultPasses : Infinity);
}

/** The most that so many starts weigh: those that weigh most come first, and of no node more than the task allows. */
function largestSum(
  all: readonly Started[],
  weight: (one: Started) => number,
  ofTask: (one: Started) => number,
  steps: number,
): number {
  const heaviest = all
    .map((one) => ({ starts: one.starts, weight: weight(one), most: ofTask(one) }))
    .sort((a, b) => (a.weight === b.weight ? 0 : b.weight - a.weight));
  let left = steps;
  let sum = 0;
  for (const { starts, weight: each, most } of heaviest) {
    if (each === 0) break;
    const taken = Math.min(starts, left);
    const weighs = times(taken, each);
    sum += Math.min(weighs, most);
    // Starts that only find the caps inside used up leave their steps to others.
    left -= weighs > most ? Math.floor(most / each) : taken;
    if (left === 0) break;
  }
  return sum;
}

function longestWay(plan: Plan, weight: (node: number) => number): number {
  const { to, outStart, size } = plan.graph;
  const before = new Float64Array(size);
  let longest = 0;
  for (const node of forwardOrder(plan)) {
    const until = (before[node] ?? 0) + weight(node);
    longest = Math.max(longest, until);
    for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
      before[at(to, arc)] = Math.max(before[at(to, arc)] ?? 0, until);
    }
  }
  return longest;
}

/** A provider may ask an agent to wait longer than the back-off would. */
function delaysMs(node: Node, retries: number): number {
  if (classOf(node) === "agentic") return retries * limits.quotaWaitMaxMs;
  let sum = 0;
  for (let retry = 0; retry < retries; retry += 1) {
    sum += Math.min(limits.retryFirstDelayMs * 2 ** retry, limits.retryMaxDelayMs) * (1 + limits.retryJitterRatio);
  }
  return sum;
}

function waitOf(node: Node): number {
  if (!isWait(node)) return 0;
  return (node.type === "wait" ? node.forMs : node.timeoutMs) ?? Infinity;
}

/** The product, where nothing of what is unbounded is nothing. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
