import { compile, type Plan } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { classOf, type Node } from "../model/node.ts";
import type { Edge } from "../model/edge.ts";
import { limits } from "../model/limits.ts";
import { inert } from "./inert.ts";
import { classGlyphs } from "./words.ts";

/** A blueprint at a glance: its nodes with their class and cap, and its routes with those that start a new pass. */
export function outline(blueprint: Blueprint): string {
  const nodes = [...blueprint.nodes.values()];
  const columns = Math.max(...nodes.map((node) => node.id.length));
  const head = `${blueprint.name}${blueprint.note === undefined ? "" : `: ${inert(blueprint.note)}`}\n`;
  const inputs = Object.entries(blueprint.inputs).map(
    ([name, { default: given }]) => `${name}${given === undefined ? "" : "?"}`,
  );
  const about = inputs.length === 0 ? "" : `  inputs: ${inputs.join(", ")}\n`;
  const list = nodes.map(
    (node) => `  ${classGlyphs[classOf(node)]} ${node.id.padEnd(columns)}  ${kind(node, blueprint)}\n`,
  );
  const again = newPasses(compile(blueprint));
  const routes = blueprint.edges.map(
    (edge) => `  ${route(edge, columns)}${again.has(key(edge)) ? "  (a new pass)" : ""}\n`,
  );
  return `${head}${about}${list.join("")}\n${routes.join("")}`;
}

/** The edges over which a new pass of their target starts, as `a → b`. */
export function loopEdges(blueprint: Blueprint): readonly string[] {
  return [...newPasses(compile(blueprint))];
}

function newPasses(plan: Plan): ReadonlySet<string> {
  const { from, to } = plan.graph;
  const found = new Set<string>();
  plan.loopOf.forEach((loop, arc) => {
    if (loop >= 0) found.add(`${plan.ids[from[arc] ?? -1]} → ${plan.ids[to[arc] ?? -1]}`);
  });
  return found;
}

function key({ from, to }: Edge): string {
  return `${from} → ${to}`;
}

function route({ from, to, when, as }: Edge, columns: number): string {
  const on = when === undefined ? "" : `  on ${when}`;
  return `${from.padEnd(columns)} → ${to}${on}${as === undefined ? "" : `, as ${as}`}`;
}

function kind(node: Node, { entry }: Blueprint): string {
  const cap = node.cap ?? (classOf(node) === "agentic" ? limits.capDefaultPasses : undefined);
  const facts = [
    node.type === "plugin" ? node.plugin : node.type,
    cap === undefined ? [] : `at most ${cap} ${cap === 1 ? "pass" : "passes"}`,
    node.id === entry ? "the entry" : [],
  ];
  return facts.flat().join(", ");
}
