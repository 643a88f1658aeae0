import type { Blueprint } from "../model/blueprint.ts";
import type { MapBody, Node } from "../model/node.ts";

/** Keys that say something to people only. */
const silent: ReadonlySet<string> = new Set(["title", "note", "description"]);

/**
 * The executable content of a blueprint as one line of JSON: titles, notes, descriptions, comments,
 * key order and layout don't count, nor does the order of nodes, edges and named values. Two documents
 * with the same text run alike; its SHA-256 is the content hash.
 */
export function canonical(blueprint: Blueprint): string {
  const { nodes, edges, ...rest } = blueprint;
  const escalate = [...new Set(rest.escalate)].sort();
  return `{"document":${stable({ ...rest, escalate })},${graphText({ nodes, edges })}}`;
}

function graphText({ nodes, edges }: Pick<MapBody, "nodes" | "edges">): string {
  const edgeTexts = edges.map((edge) => stable(edge)).sort();
  const nodeTexts = [...nodes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, node]) => `${JSON.stringify(id)}:${nodeText(node)}`);
  return `"edges":[${edgeTexts.join(",")}],"nodes":{${nodeTexts.join(",")}}`;
}

function nodeText(node: Node): string {
  if (node.type === "plugin") {
    // They stand in the fields, and are not known where the plug-in is not.
    const { templates: _templates, ...rest } = node;
    return stable(rest);
  }
  if (node.type !== "map") return stable(node);
  const { do: body, ...rest } = node;
  return `{"map":${stable(rest)},"entry":${JSON.stringify(body.entry)},${graphText(body)}}`;
}

/**
 * How the keys of an object are to be taken: words of the model, names that
 * the author chose, or a value that counts as it is.
 */
type Mode = "model" | "names" | "json";

const modes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...(["inputs", "outputs", "env", "args", "with", "entries", "fields"] as const).map((key) => [key, "names"] as const),
  ...(["schema", "default", "enum", "value"] as const).map((key) => [key, "json"] as const),
]);

function stable(value: unknown, mode: Mode = "model"): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => stable(item, mode)).join(",")}]`;
  if (mode === "model" && "parts" in value && "source" in value) return JSON.stringify(value.source);
  const inside = (key: string): Mode =>
    mode === "json" || isPlugin(value) ? "json" : mode === "names" ? "model" : (modes.get(key) ?? "model");
  const entries = Object.entries(value)
    .filter(([key, item]) => item !== undefined && (mode !== "model" || !silent.has(key)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stable(item, inside(key))}`).join(",")}}`;
}

/** Fields of a node type from outside are JSON. */
function isPlugin(value: object): boolean {
  return "plugin" in value && "type" in value && value.type === "plugin";
}
