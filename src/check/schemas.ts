import type { JsonObject } from "../model/json.ts";
import type { Reference, Template } from "../model/template.ts";
import { isRefused } from "../language/draft.ts";
import { schemaAt } from "../language/ports.ts";
import type { Source } from "../language/source.ts";
import { soleReference } from "../language/template.ts";
import { typeSchema } from "../language/types.ts";

/** What is known of the values that a reference gives, its path left aside; undefined where nothing is. */
export function schemaOf(ref: Pick<Reference, "source" | "name">, source: Source): JsonObject | undefined {
  switch (ref.source) {
    case "task":
      return { type: "string" };
    case "index":
      return { type: "integer" };
    case "inputs":
      return inputSchema(ref.name, source);
    case "item":
      return itemSchema(source);
    case "node":
      return nodeSchema(ref.name, source);
  }
}

/**
 * The one JSON type that a template gives; undefined where it may be of several. Text around a reference makes it text.
 */
export function typeOf(template: Template, source: Source): string | undefined {
  const ref = soleReference(template);
  if (ref === undefined) return "string";
  const schema = schemaOf(ref, source);
  const type = schema && schemaAt(schema, ref.path)?.["type"];
  return typeof type === "string" ? type : undefined;
}

/** The list of the map whose body this is. */
export function listOf(source: Source): Template | undefined {
  const map = source.map === undefined ? undefined : source.outer?.drafts.get(source.map);
  return map?.type === "map" ? map.over : undefined;
}

function itemSchema(source: Source): JsonObject | undefined {
  const over = listOf(source);
  if (over === undefined || source.outer === undefined) return undefined;
  const ref = soleReference(over);
  if (ref === undefined) return undefined;
  if (ref.source === "node" && ref.path.length === 0 && isLines(ref.name, source.outer)) return { type: "string" };
  const schema = schemaOf(ref, source.outer);
  return schema && itemsOf(schemaAt(schema, ref.path));
}

function isLines(name: string, source: Source): boolean {
  const node = source.drafts.get(name);
  if (node === undefined) return source.outer !== undefined && isLines(name, source.outer);
  return node.output?.as === "lines";
}

function itemsOf(list: JsonObject | undefined): JsonObject | undefined {
  return list === undefined ? undefined : schemaAt(list, ["0"]);
}

function inputSchema(name: string, source: Source): JsonObject | undefined {
  if (source.outer !== undefined) return inputSchema(name, source.outer);
  const { inputs } = source.blueprint;
  const spec = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return spec && typeSchema(spec.type);
}

function nodeSchema(name: string, source: Source): JsonObject | undefined {
  const node = source.drafts.get(name);
  if (node === undefined) return source.outer && nodeSchema(name, source.outer);
  if (node.output?.as === "schema") return node.output.schema;
  const says = node.output?.as ?? "text";
  return says === "text" && textual.has(node.type) && !isRefused(node, "output") ? { type: "string" } : undefined;
}

/** What these say is text, where `output` reads nothing else out of it. */
const textual: ReadonlySet<string | undefined> = new Set(["script", "exec"]);
