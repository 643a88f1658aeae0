import { boundOf, type Bound } from "../graph/bound.ts";
import { compile } from "../graph/plan.ts";
import { type Blueprint, classOf, isWrapper } from "../model/blueprint.ts";
import type { Money } from "../model/settings.ts";
import { elapsed } from "./words.ts";

/** The most that one run of a blueprint can cost. Null is unknown or unbounded; 0 only where it is 0. */
export interface BoundReport extends Bound {
  /** Passes of all agentic nodes together. */
  readonly agentPasses: number | null;
  readonly tokens: number | null;
  readonly cost: Money | null;
}

export function boundReport(blueprint: Blueprint): BoundReport {
  const bound = boundOf(compile(blueprint));
  const nodes = [...blueprint.nodes.values()];
  const agents = nodes.filter((node) => classOf(node) === "agentic" || isWrapper(node));
  const passes = agents.map(({ id }) => bound.passes[id] ?? null);
  const none = agents.length === 0;
  return {
    ...bound,
    agentPasses: passes.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0),
    tokens: none ? 0 : (blueprint.limits.tokens ?? null),
    cost: blueprint.limits.cost ?? (none ? { amount: 0, currency: "USD" } : null),
  };
}

/** For people, one fact a line. */
export function boundText(name: string, report: BoundReport): string {
  const number = (value: number | null): string => (value === null ? "unbounded" : String(value));
  const time = (value: number | null): string => (value === null ? "unbounded" : value === 0 ? "none" : elapsed(value));
  const facts: readonly (readonly [string, string])[] = [
    ["node starts", number(report.starts)],
    ...Object.entries(report.passes).map(([node, passes]) => [`passes of ${node}`, number(passes)] as const),
    ["work", time(report.workMs)],
    ["waiting", time(report.waitMs)],
    ["model turns", number(report.turns)],
    ["tokens", report.tokens === null ? "unknown" : String(report.tokens)],
    ["cost", report.cost === null ? "unknown" : `${report.cost.amount} ${report.cost.currency}`],
  ];
  const columns = Math.max(...facts.map(([label]) => label.length));
  return `${name} costs at most\n${facts.map(([label, value]) => `  ${label.padEnd(columns)}  ${value}\n`).join("")}`;
}
