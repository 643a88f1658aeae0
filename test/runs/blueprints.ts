import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Edge } from "../../src/model/edge.ts";
import type { AgentNode, HumanNode, Node, PluginNode } from "../../src/model/node.ts";
import { unset } from "../../src/model/unset.ts";

export function plain(id: string, more: Partial<PluginNode> = {}): PluginNode {
  return { id, type: "plugin", plugin: "act", fields: {}, ...more };
}

export function agentic(id: string, more: Partial<AgentNode> = {}): AgentNode {
  return { id, type: "agent", prompt: { source: "", parts: [] }, ...more };
}

export function gate(id: string, more: Partial<HumanNode> = {}): HumanNode {
  return { id, type: "human", mode: "approval", prompt: { source: "", parts: [] }, ...more };
}

export function blueprint(nodes: readonly Node[], edges: readonly Edge[], more: Partial<Blueprint> = {}): Blueprint {
  const [entry] = nodes;
  if (entry === undefined) throw new Error("a blueprint has a node");
  return {
    name: "test",
    ...unset,
    entry: entry.id,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    edges,
    ...more,
  };
}

/** Nodes one after the other. */
export function chainOf(ids: readonly string[], more: Partial<PluginNode> = {}): Blueprint {
  const edges = ids.slice(1).map((to, i) => ({ from: ids[i] ?? "", to }));
  return blueprint(
    ids.map((id) => plain(id, more)),
    edges,
  );
}

export const three = chainOf(["a", "b", "c"]);
