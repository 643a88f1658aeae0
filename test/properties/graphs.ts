import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Edge } from "../../src/model/edge.ts";
import type { Node } from "../../src/model/node.ts";
import { unset } from "../../src/model/unset.ts";

/** An edge of a test graph: source, condition (null = unconditional) and target. */
export type Arrow = readonly [from: string, when: string | null, to: string];

/** `a>b` unconditional, `a+>b` success, `a!>b` failure, several divided by commas. */
export function arrows(text: string): Arrow[] {
  return text.split(",").map((part) => {
    const [left = "", to = ""] = part.trim().split(">");
    if (left.endsWith("!")) return [left.slice(0, -1), "failure", to];
    if (left.endsWith("+")) return [left.slice(0, -1), "success", to];
    return [left, null, to];
  });
}

type Overrides = Readonly<Record<string, Partial<Node>>>;

/** A blueprint of script nodes, checked by nobody: what the engine gets after the checks. */
export function blueprintOf(
  ids: readonly string[],
  edges: readonly Arrow[],
  settings: Partial<Blueprint> = {},
  overrides: Overrides = {},
): Blueprint {
  // Overrides may change the type.
  const nodes = ids.map((id) => ({ id, type: "script", run: "true", ...overrides[id] }) as Node);
  return {
    name: "test",
    ...unset,
    entry: ids[0] ?? "a",
    nodes: new Map(nodes.map((node) => [node.id, node])),
    edges: edges.map(([from, when, to]): Edge => (when === null ? { from, to } : { from, to, when })),
    ...settings,
  };
}
