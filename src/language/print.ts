import { stringify } from "yaml";
import type { Blueprint } from "../model/blueprint.ts";
import type { Edge } from "../model/edge.ts";
import type { MapBody, Node } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import { documentFields } from "./fields/document.ts";
import { common as pluginCommonFields } from "./fields/common.ts";
import { nodeFields } from "./fields/nodes.ts";
import { bodyNode } from "./expand/body-node.ts";
import { writeFields } from "./read/table.ts";

type Entries = Readonly<Record<string, Json>>;

/**
 * A blueprint as a document: expanded, without comments, keys in the order of the
 * language. Reading it gives the same blueprint again.
 */
export function print(blueprint: Blueprint): string {
  const { entry, nodes, edges, ...rest } = blueprint;
  const top = withoutDefaults(writeFields(rest, documentFields));
  const graph: Entries = {
    entry,
    nodes: Object.fromEntries([...nodes].map(([id, node]) => [id, nodeEntries(node)])),
  };
  return `${yaml(top)}${yaml(graph)}${edgeLines(edges)}`;
}

function yaml(value: Entries): string {
  return stringify(value, { version: "1.2", lineWidth: 0, aliasDuplicateObjects: false });
}

/** One line an edge, as people write them. */
function edgeLines(edges: readonly Edge[]): string {
  if (edges.length === 0) return "edges: []\n";
  const lines = edges.map(({ from, when, to, as }) => {
    const parts = [
      `from: ${word(from)}`,
      when === undefined ? [] : `when: ${word(when)}`,
      `to: ${word(to)}`,
      as === undefined ? [] : `as: ${as}`,
    ];
    return `  - {${parts.flat().join(", ")}}\n`;
  });
  return `edges:\n${lines.join("")}`;
}

/** A name is what is written, so `no` and `010` need no quotes, and `#` inside a word begins no comment. */
function word(name: string): string {
  return name.startsWith("-") ? JSON.stringify(name) : name;
}

function withoutDefaults(top: Entries): Entries {
  return Object.fromEntries(
    Object.entries(top).filter(([key, value]) => {
      if (key === "escalate") return JSON.stringify(value) !== JSON.stringify(["cap", "no_progress"]);
      return typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length > 0;
    }),
  );
}

function nodeEntries(node: Node): Entries {
  if (node.type === "plugin") return { type: node.plugin, ...node.fields, ...writeFields(node, pluginCommonFields) };
  const entries = writeFields(node, nodeFields[node.type]);
  if (node.type === "map") return { type: "map", ...entries, do: bodyEntries(node.do) };
  const type = node.stock ?? node.type;
  if (node.type !== "tool" || Object.keys(node.args).length > 0) return { type, ...entries };
  return { type, ...Object.fromEntries(Object.entries(entries).filter(([key]) => key !== "args")) };
}

/** A single node is written as itself. */
function bodyEntries({ entry, nodes, edges }: MapBody): Entries {
  const [only] = nodes.values();
  if (only?.id === bodyNode && nodes.size === 1 && edges.length === 0) return nodeEntries(only);
  return {
    entry,
    nodes: Object.fromEntries([...nodes].map(([id, node]) => [id, nodeEntries(node)])),
    edges: edges.map((edge) => ({ ...edge })),
  };
}
