import type { TypeSpec, ValueType } from "../model/type-spec.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { isKept, readJson } from "../model/json-text.ts";
import { durationPattern, isDuration } from "./quantity.ts";

const valueTypes = [
  "string",
  "number",
  "integer",
  "boolean",
  "json",
  "file",
  "path",
  "duration",
] as const satisfies readonly ValueType[];

/** The words of types, for messages. */
export const typeWords = [...valueTypes, "list<T>", "enum[a, b]"] as const;

/** Reads `string`, `list<integer>`, `enum[approve, reject]`; undefined when it is none. */
export function parseType(text: string): TypeSpec | undefined {
  const trimmed = text.trim();
  const kind = valueTypes.find((type) => type === trimmed);
  if (kind !== undefined) return { kind };
  const list = /^list\s*<(.*)>$/s.exec(trimmed);
  if (list?.[1] !== undefined) {
    const of = parseType(list[1]);
    return of && { kind: "list", of };
  }
  const choice = /^enum\s*\[([^[\]]*)\]$/.exec(trimmed);
  const values = (choice?.[1] ?? "").split(",").map((value) => value.trim());
  return choice !== null && values.every((value) => value !== "") && new Set(values).size === values.length
    ? { kind: "enum", values }
    : undefined;
}

/** The type as it is written: a word, or a schema. */
export function printType(type: TypeSpec): string | JsonObject {
  switch (type.kind) {
    case "list": {
      const of = printType(type.of);
      return typeof of === "string" ? `list<${of}>` : { type: "array", items: of };
    }
    case "enum":
      return `enum[${type.values.join(", ")}]`;
    case "schema":
      return type.schema;
    default:
      return type.kind;
  }
}

/**
 * A schema as it is written: `{type: integer}` alone would read as a short
 * schema with a field `type`, so it is the word.
 */
export function printSchema(schema: JsonObject): string | JsonObject {
  const { type } = schema;
  const word = valueTypes.find((each) => each === type);
  return word !== undefined && Object.keys(schema).length === 1 ? word : schema;
}

/** JSON Schema of a type. Files and paths are texts. */
export function typeSchema(type: TypeSpec): JsonObject {
  switch (type.kind) {
    case "list":
      return { type: "array", items: typeSchema(type.of) };
    case "enum":
      return { type: "string", enum: type.values };
    case "schema":
      return type.schema;
    case "json":
      return {};
    case "number":
    case "integer":
    case "boolean":
      return { type: type.kind };
    case "duration":
      return { type: "string", pattern: durationPattern };
    default:
      return { type: "string" };
  }
}

/** Whether null is of the type, as far as a look at it tells: of a schema that says less than that, it may be. */
export function allowsNull(type: TypeSpec): boolean {
  return type.kind === "json" || (type.kind === "schema" && schemaAllowsNull(type.schema));
}

function schemaAllowsNull(schema: JsonObject): boolean {
  const { type, enum: values } = schema;
  if (typeof type === "string" && type !== "null") return false;
  if (Array.isArray(type) && !type.includes("null")) return false;
  if (Array.isArray(values) && !values.includes(null)) return false;
  return schema["const"] === undefined || schema["const"] === null;
}

/** The value in the type of its input; what a command line gives is text. Undefined where it does not fit. */
export function valueIn(type: TypeSpec, value: Json): Json | undefined {
  switch (type.kind) {
    case "string":
    case "file":
    case "path":
      return typeof value === "string" ? value : undefined;
    case "duration":
      return isDuration(value) ? value : undefined;
    case "number":
    case "integer": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      if (typeof number !== "number" || !isKept(typeof value === "string" ? value.trim() : String(number), number))
        return undefined;
      return type.kind === "integer" && !Number.isInteger(number) ? undefined : number;
    }
    case "boolean":
      if (value === "true" || value === "false") return value === "true";
      return typeof value === "boolean" ? value : undefined;
    case "enum":
      return typeof value === "string" && type.values.includes(value) ? value : undefined;
    case "list": {
      const list = parsed(value);
      if (!Array.isArray(list)) return undefined;
      const items = list.map((item: Json) => valueIn(type.of, item));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "json":
    case "schema":
      return parsed(value);
  }
}

function parsed(value: Json): Json | undefined {
  if (typeof value !== "string") return value;
  const read = readJson(value);
  return "problem" in read ? undefined : read.value;
}
