import { common } from "../../language/fields/common.ts";
import { builtInTypes } from "../../language/fields/nodes.ts";
import type { NodeTypePlugin } from "../../language/plugin-node.ts";
import { type Located, valueOf } from "../../language/tree.ts";
import { readYaml } from "../../language/yaml.ts";
import { limits } from "../../model/limits.ts";

type Class = NodeTypePlugin["class"];

/**
 * Node types from outside as far as a document tells of them: whatever fields its nodes have, of any
 * value. With them it is read as it was with the plug-ins, where those are gone or, as for a receipt, not
 * there; what their class was is tried where the content hash covers it.
 */
export function standIns(text: string): readonly (readonly NodeTypePlugin[])[] {
  const tree = readYaml(text, () => false);
  const fields = new Map<string, Set<string>>();
  if (tree !== null) gather(tree, fields);
  if (fields.size === 0 || fields.size > limits.standInTypes) return [];
  const types = [...fields.keys()];
  const choices = Array.from({ length: 2 ** types.length }, (_, bits) =>
    types.map((__, i): Class => (((bits >> i) & 1) === 1 ? "agentic" : "deterministic")),
  );
  return choices.map((classes) =>
    types.map((type, i) => ({
      type,
      class: classes[i] ?? "deterministic",
      fields: Object.fromEntries([...(fields.get(type) ?? [])].map((name) => [name, anything])),
    })),
  );
}

const anything = { type: { kind: "json" }, description: "" } as const;

/** Of the nodes of a document and of the bodies in it. */
function gather(tree: Located, fields: Map<string, Set<string>>, seen = new Set<Located>()): void {
  if (tree.kind !== "map" || seen.has(tree)) return;
  seen.add(tree);
  for (const { key, value } of tree.entries) {
    if (key.source === "do") note(value, fields);
    if (key.source === "nodes" && value.kind === "map") for (const node of value.entries) note(node.value, fields);
    gather(value, fields, seen);
  }
}

function note(node: Located, fields: Map<string, Set<string>>): void {
  const type = valueOf(node, "type");
  if (node.kind !== "map" || type?.kind !== "scalar" || builtInTypes.some((one) => one === type.source)) return;
  const known = fields.get(type.source) ?? new Set();
  fields.set(type.source, known);
  for (const { key } of node.entries) if (!isCommon(key.source)) known.add(key.source);
}

function isCommon(field: string): boolean {
  return field === "type" || field === "next" || Object.hasOwn(common, field);
}
