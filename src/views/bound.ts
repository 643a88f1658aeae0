import { boundOf, type Bound } from "../graph/bound.ts";
import { compile } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { elapsed } from "./words.ts";

/** What the calls of a blueprint lead to, by pin, or why that could not be looked up. */
export interface Called {
  readonly callees?: ReadonlyMap<string, { readonly blueprint: Blueprint }>;
  readonly notFound?: string;
}

export function boundReport(blueprint: Blueprint, { callees = new Map(), notFound }: Called = {}): Bound {
  return boundOf(compile(blueprint), {
    callees: new Map([...callees].map(([pin, callee]) => [pin, callee.blueprint])),
    ...(notFound === undefined ? {} : { notFound }),
  });
}

/** For people, one fact a line. */
export function boundText(name: string, report: Bound): string {
  const nothing = report.unknown.length > 0 ? "unknown" : "unbounded";
  const number = (value: number | null): string => (value === null ? nothing : String(value));
  const time = (value: number | null, none: string): string =>
    value === null ? none : value === 0 ? "none" : elapsed(value);
  const facts: readonly (readonly [string, string])[] = [
    ["node starts", number(report.starts)],
    ...Object.entries(report.passes).map(([node, passes]) => [`passes of ${node}`, number(passes)] as const),
    ["work", time(report.workMs, nothing)],
    ["waiting", time(report.waitMs, "unbounded")],
    ["model turns", number(report.turns)],
    ["tokens", report.tokens === null ? "unknown" : String(report.tokens)],
    ["cost", report.cost === null ? "unknown" : `${report.cost.amount} ${report.cost.currency}`],
    ...report.unknown.map(({ node, reason }) => [`unknown ${node}`, reason] as const),
  ];
  const columns = Math.max(...facts.map(([label]) => label.length));
  return `${name} costs at most\n${facts.map(([label, value]) => `  ${label.padEnd(columns)}  ${value}\n`).join("")}`;
}
