import type { JsonObject } from "../../model/json.ts";
import { oneOfWords } from "../nearest.ts";
import { parsePattern } from "../patterns/expression.ts";
import { toJson } from "../read/collections.ts";
import type { Reading } from "../read/reading.ts";
import type { Located, LocatedMap } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";

export const schemaWords = [
  "$schema",
  "$ref",
  "properties",
  "items",
  "anyOf",
  "oneOf",
  "allOf",
  "const",
  "enum",
  "additionalProperties",
];

/**
 * A map is a JSON Schema when it uses a word of it that no short schema
 * could mean; else each key is a field with a type.
 */
export function isJsonSchema(map: LocatedMap): boolean {
  if (schemaWords.some((word) => entryOf(map, word) !== undefined)) return true;
  const type = entryOf(map, "type")?.value;
  return type?.kind === "scalar" && (type.source === "object" || type.source === "array");
}

/** No validator of JSON Schema looks at a property of this name. */
export const unvalidated = "__proto__";
export const renamed = "Values of that name cannot be held to a schema: call it something else.";

/** Reads one that is checked offline; undefined, and told, where it cannot be. */
export function jsonSchema(node: LocatedMap, reading: Reading, field: string): JsonObject | undefined {
  const bad = findBadSchemaPart(node);
  if (bad !== undefined) {
    const message = `${bad.what} in the JSON Schema of ${reading.place(field)}${bad.why ?? ""}`;
    reading.problem("invalid-schema", bad.at, message, bad.hint);
    return undefined;
  }
  // A located map becomes an object.
  return toJson(node) as JsonObject;
}

interface BadPart {
  readonly at: Located;
  readonly what: string;
  /** What follows where it is. */
  readonly why?: string;
  readonly hint: string;
}

const schemaTypes: ReadonlySet<string> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

function findBadSchemaPart(node: Located): BadPart | undefined {
  if (node.kind !== "map") return undefined;
  for (const { key, value } of node.entries) {
    if (key.source === "$ref" && value.kind === "scalar" && !value.source.startsWith("#")) {
      return {
        at: value,
        what: `The reference ${quote(value.source)} leaves the document`,
        hint: "A schema is checked offline: use #/definitions/…",
      };
    }
    if (key.source === "type" && value.kind === "scalar" && !schemaTypes.has(value.source)) {
      return {
        at: value,
        what: `There is no type ${quote(value.source)}`,
        hint: `JSON Schema has ${oneOfWords([...schemaTypes])}.`,
      };
    }
    if (key.source === "pattern" && value.kind === "scalar") {
      const parsed = parsePattern(value.source);
      if ("problem" in parsed)
        return { at: value, what: `The pattern ${quote(value.source)}`, why: ` ${parsed.problem}`, hint: parsed.hint };
    }
    const inner =
      key.source === "properties" || key.source === "definitions" || key.source === "$defs"
        ? findBadInside(value)
        : findBadSchemaPart(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Keys under `properties` are names, not words of JSON Schema. */
function findBadInside(node: Located): BadPart | undefined {
  if (node.kind !== "map") return undefined;
  for (const { key, value } of node.entries) {
    if (key.source === unvalidated) return { at: key, what: `There is the name ${quote(key.source)}`, hint: renamed };
    const bad = findBadSchemaPart(value);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
