import { simulate } from "../engine/simulate.ts";
import { compile } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { classOf, type NodeClass } from "../model/node.ts";
import type { RunStarted } from "../model/events.ts";
import type { NodeResult, RunStatus } from "../model/outcome.ts";
import { assumedResult } from "./assumed.ts";
import { classGlyphs, passName } from "./words.ts";

/** The way a run takes when every node succeeds; an agent or person with options takes the first. */
export interface Route {
  readonly starts: readonly RouteStart[];
  readonly notReached: readonly string[];
  /** Null where it does not end within the starts that are simulated. */
  readonly status: RunStatus | null;
  readonly reason: string | null;
}

interface RouteStart {
  readonly step: number;
  readonly node: string;
  readonly class: NodeClass;
  readonly pass: number;
}

export function routeOf(blueprint: Blueprint, overrides: Pick<RunStarted, "maxSteps" | "maxRetries">): Route {
  const assume = ({ node }: { readonly node: string }): NodeResult => assumedResult(blueprint.nodes.get(node));
  const events = simulate(compile(blueprint), [{ ...stub, ...overrides }], assume);
  const starts = events.flatMap((event) => (event.type === "node.started" ? [event] : []));
  const reached = new Set(starts.map(({ node }) => node));
  const last = events.at(-1);
  const end = last?.type === "run.finished" ? last : null;
  return {
    starts: starts.map(({ step, node, pass }) => ({ step, node, class: classIn(blueprint, node), pass })),
    notReached: [...blueprint.nodes.keys()].filter((id) => !reached.has(id)),
    status: end?.status ?? null,
    reason: end?.reason ?? null,
  };
}

/** For people, one start a line. */
export function routeText(name: string, { starts, notReached, status, reason }: Route): string {
  const width = String(starts.reduce((most, { step }) => Math.max(most, step), 1)).length;
  const lines = starts.map(({ step, node, class: kind, pass }) => {
    return `  ${String(step).padStart(width)}  ${classGlyphs[kind]} ${passName(node, pass)}\n`;
  });
  const left = notReached.length === 0 ? "" : `  not reached: ${notReached.join(", ")}\n`;
  const end = status === null ? "no end in sight" : status + (reason === null ? "" : `: ${reason}`);
  return `${name}, if every node succeeds: ${end}\n${lines.join("")}${left}`;
}

function classIn(blueprint: Blueprint, id: string): NodeClass {
  const node = blueprint.nodes.get(id);
  return node === undefined ? "deterministic" : classOf(node);
}

const stub: RunStarted = {
  type: "run.started",
  taskId: "",
  task: "",
  blueprint: "",
  contentHash: "",
  bindingHash: "",
  inputs: {},
  cwd: "",
  owner: { pid: 0, startTime: "", bootId: "" },
};
