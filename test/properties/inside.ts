import type { AgentNode, CallNode, MapNode, Node } from "../../src/model/node.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import { limits } from "../../src/model/limits.ts";
import { template } from "../runs/inside.ts";
import type { Scene } from "./play.ts";
import { stage } from "./play.ts";

export const grace = limits.terminationGraceMs;
/** With the time to end, an attempt may take ten seconds. */
export const timeoutMs = 10_000 - grace;
export const T = 10_000;

export const agent = (more: Partial<AgentNode> = {}): Partial<Node> => ({
  type: "agent",
  timeoutMs,
  turns: 10,
  ...more,
});
export const call = (pin: string, more: Partial<CallNode> = {}): Partial<Node> => ({
  type: "call",
  blueprint: `${pin}.yaml`,
  pin,
  ...more,
});
export const map = (edges: string, nodes: Scene["nodes"], more: Partial<MapNode> = {}): Partial<Node> => ({
  type: "map",
  over: template("{s}"),
  do: graph(edges, nodes),
  ...more,
});

/** Each node takes at most `T`, unless it is told otherwise. */
export function graph(edges: string, nodes: Scene["nodes"] = {}, settings: Partial<Blueprint> = {}): Blueprint {
  const ids = [...edges.matchAll(/[a-z]+(?=[!+]?>|,|$)/g)].map(([id]) => id);
  const timed = Object.fromEntries(ids.map((id) => [id, { timeoutMs, ...nodes[id] }] as const));
  const wrappers = Object.entries(nodes).filter(([, { type }]) => type === "call" || type === "map");
  return stage(edges, { settings, nodes: { ...timed, ...Object.fromEntries(wrappers) } });
}
