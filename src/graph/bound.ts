import type { Node } from "../model/blueprint.ts";
import { classOf, isWait, isWrapper } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import { timeoutOf } from "../model/timeouts.ts";
import { at, item } from "./ints.ts";
import { mostStarts } from "./most-starts.ts";
import { forwardOrder } from "./order.ts";
import type { Plan } from "./plan.ts";

/** The most that one run can cost. Null is "nothing bounds it", or "unknown"; never a guess, and 0 only where it is 0. */
export interface Bound {
  /** By id of each node with a cap or an agent; passes of earlier runs of the task count against a cap and only lower this. */
  readonly passes: Readonly<Record<string, number | null>>;
  /** Starts of all nodes; retries do not count. */
  readonly starts: number | null;
  /** Milliseconds in which something works, retries and their delays included. */
  readonly workMs: number | null;
  /** Milliseconds in which the run may wait for a person or a time; null where a wait has no timeout. */
  readonly waitMs: number | null;
  /** Turns of models, over all attempts. */
  readonly turns: number | null;
}

export interface BoundOptions {
  readonly maxSteps?: number;
  readonly maxRetries?: number;
}

export function boundOf(plan: Plan, options: BoundOptions = {}): Bound {
  const steps = stepsOf(plan, options);
  const starts = mostStarts(plan, (node) => Math.min(steps, capOf(item(plan.nodes, node))));
  const all = plan.nodes.map((node, index) => ({
    node,
    starts: index === plan.last ? Math.min(1, capOf(node)) : (starts[index] ?? Infinity),
  }));
  const [closing, others] = [all.slice(plan.last, plan.last + 1), all.filter((_, index) => index !== plan.last)];
  // The node of finally comes on top of the steps.
  const most = (weight: (node: Node) => number): number =>
    largestSum(others, weight, steps) + (plan.last < 0 ? 0 : largestSum(closing, weight, 1));
  const work = Math.min(busiest(plan, all, options, most), plan.blueprint.limits.timeMs ?? limits.runTimeDefaultMs);
  return {
    passes: Object.fromEntries(
      all.filter(({ node }) => capOf(node) < Infinity).map((one) => [one.node.id, finite(one.starts)]),
    ),
    starts: finite(most(() => 1)),
    workMs: finite(work),
    waitMs: finite(most(waitOf)),
    turns: finite(most((node) => turnsOf(plan, node) * attemptsOf(plan, node, options))),
  };
}

interface Started {
  readonly node: Node;
  readonly starts: number;
}

function stepsOf(plan: Plan, options: BoundOptions): number {
  const steps = options.maxSteps ?? plan.blueprint.limits.steps;
  return steps ?? (plan.loops.length > 0 ? limits.stepsWithLoopDefault : Infinity);
}

function capOf(node: Node): number {
  return node.cap ?? (classOf(node) === "agentic" ? limits.capDefaultPasses : Infinity);
}

/** The most that so many starts weigh: those that weigh most come first. */
function largestSum(all: readonly Started[], weight: (node: Node) => number, steps: number): number {
  const heaviest = all
    .map(({ node, starts }) => ({ starts, weight: weight(node) }))
    .sort((a, b) => b.weight - a.weight);
  let left = steps;
  let sum = 0;
  for (const one of heaviest) {
    const taken = Math.min(one.starts, left);
    if (taken > 0 && one.weight > 0) sum += taken * one.weight;
    left -= taken;
  }
  return sum;
}

/**
 * Without loops the longest way counts whole and the rest is shared among the places (Graham 1966, for any schedule that leaves no place
 * empty while something is due); with loops everything may come one after the other.
 */
function busiest(
  plan: Plan,
  all: readonly Started[],
  options: BoundOptions,
  most: (weight: (node: Node) => number) => number,
): number {
  const duration = (node: Node): number =>
    attemptsOf(plan, node, options) * attemptMs(node) + delaysMs(plan, node, options);
  const total = most(duration);
  if (plan.loops.length > 0) return total;
  const places = plan.blueprint.limits.parallel ?? limits.parallelDefaultNodes;
  const weight = (node: number): number => duration(item(all, node).node) * item(all, node).starts;
  const longest = longestWay(plan, weight) + (plan.last < 0 ? 0 : weight(plan.last));
  return Math.min(total, total / places + longest * (1 - 1 / places));
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

function retriesOf(plan: Plan, node: Node, options: BoundOptions): number {
  if (node.type === "human") return 0;
  return options.maxRetries ?? node.retry ?? plan.blueprint.limits.retries ?? limits.retriesDefault;
}

function attemptsOf(plan: Plan, node: Node, options: BoundOptions): number {
  return 1 + retriesOf(plan, node, options);
}

function attemptMs(node: Node): number {
  return isWait(node) ? 0 : (timeoutOf(node) ?? Infinity) + limits.terminationGraceMs;
}

/** A provider may ask an agent to wait longer than the back-off would. */
function delaysMs(plan: Plan, node: Node, options: BoundOptions): number {
  const retries = retriesOf(plan, node, options);
  if (classOf(node) === "agentic") return retries * limits.retryAfterMaxMs;
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

function turnsOf(plan: Plan, node: Node): number {
  if (isWrapper(node)) return Infinity; // what runs inside has a plan of its own
  if (node.type !== "agent" && node.type !== "agent_sandbox") return 0;
  return node.turns ?? plan.blueprint.agent.turns ?? limits.agentTurnsDefault;
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}
