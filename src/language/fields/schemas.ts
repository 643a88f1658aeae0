import { limits } from "../../model/limits.ts";
import type { InputSpec, OutputSpec, TypeSpec } from "../../model/type-spec.ts";
import type { OutputFormat } from "../../model/node.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { oneOfWords } from "../nearest.ts";
import { isDuration } from "../quantity.ts";
import { parsePattern } from "../patterns/expression.ts";
import { matchesWhole } from "../patterns/match.ts";
import type { Budget } from "../patterns/match.ts";
import { listOf, json, mapOf } from "../read/collections.ts";
import { object, optional, required, writeFields } from "../read/table.ts";
import { isJsonSchema, jsonSchema, renamed, schemaWords, unvalidated } from "./json-schema.ts";
import type { Reader, Reading } from "../read/reading.ts";
import { boolean, template, text } from "../read/scalars.ts";
import type { LocatedMap } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";
import { parseType, printSchema, printType, typeSchema, typeWords } from "../types.ts";

/** Words that no field of an input shares. */
const wholeSchemaWords = schemaWords.filter((word) => word !== "enum");

/**
 * `{verdict: "enum[approve, reject]", why: string}` or a JSON Schema. A
 * trailing `?` makes a field of the short form optional.
 */
function readSchema(node: LocatedMap, reading: Reading, field: string): JsonObject | undefined {
  if (isJsonSchema(node)) return jsonSchema(node, reading, field);
  const properties: (readonly [string, Json])[] = [];
  const needed: string[] = [];
  for (const { key, value } of node.entries) {
    const isOptional = key.source.endsWith("?");
    const name = isOptional ? key.source.slice(0, -1) : key.source;
    if (name === unvalidated) {
      reading.problem(
        "invalid-schema",
        key,
        `A schema in ${reading.place(field)} has the field ${quote(name)}`,
        renamed,
      );
      return undefined;
    }
    const type = typeReader.read(value, reading, `${field}.${key.source}`);
    if (type === undefined) return undefined;
    properties.push([name, typeSchema(type)]);
    if (!isOptional) needed.push(name);
  }
  return { type: "object", properties: Object.fromEntries(properties), required: needed, additionalProperties: false };
}

const typeSchemaPattern = String.raw`^\s*(string|number|integer|boolean|json|file|path|duration|list\s*<.*>|enum\s*\[[^\[\]]*\])\s*$`;

/** A word of types, or a schema. */
const typeReader: Reader<TypeSpec> = {
  expected: "a type",
  schema: { anyOf: [{ type: "string", pattern: typeSchemaPattern }, { type: "object" }] },
  read(node, reading, field) {
    if (node.kind === "map") {
      const schema = readSchema(node, reading, field);
      return schema && { kind: "schema", schema };
    }
    if (node.kind !== "scalar" || node.source === "")
      return reading.wrongType(node, field, "a type", `Types are ${oneOfWords(typeWords)}.`);
    const type = parseType(node.source);
    if (type === undefined) {
      const message = `${reading.place(field)} has the unknown type ${quote(node.source)}${reading.suggest(node.source, typeWords)}`;
      reading.problem("invalid-schema", node, message, `Types are ${oneOfWords(typeWords)}, or a JSON Schema.`);
    }
    return type;
  },
  write: printType,
};

const formats = ["text", "lines", "json"] as const;

/** `output:` of a node. */
export const outputFormat: Reader<OutputFormat> = {
  expected: "`text`, `lines`, `json` or a schema",
  schema: { anyOf: [{ enum: formats }, { type: "string", pattern: typeSchemaPattern }, { type: "object" }] },
  read(node, reading, field) {
    if (node.kind === "map") {
      const schema = readSchema(node, reading, field);
      return schema && { as: "schema", schema };
    }
    const as = node.kind === "scalar" ? formats.find((format) => format === node.source) : undefined;
    if (as !== undefined) return { as };
    const type = node.kind === "scalar" && typeof node.value === "string" ? parseType(node.source) : undefined;
    if (type !== undefined) return { as: "schema", schema: typeSchema(type) };
    const hint = 'A schema lists fields and their types: {verdict: "enum[approve, reject]", why: string}.';
    return reading.wrongType(node, field, "`text`, `lines`, `json` or a schema", hint);
  },
  write: (format) => (format.as === "schema" ? printSchema(format.schema) : format.as),
};

const inputFields = {
  type: optional(typeReader, "Type of the value; text when absent."),
  description: optional(
    text({ maxCharacters: limits.descriptionCharacters }),
    "What the value is for, shown in forms and help.",
  ),
  default: optional(json, "Value when none is given."),
  sensitive: optional(boolean, "Mask the value everywhere and keep it out of the environment."),
  enum: optional(listOf(json), "The only values allowed."),
  pattern: optional(
    text(),
    "Regular expression that the whole of a text must match, without lookaround and backreferences.",
  ),
};
const inputMap = object(inputFields, "input `%`");

/** A JSON Schema in the place of an input is its type. */
function isWholeSchema(map: LocatedMap): boolean {
  return map.entries.some(({ key }) => wholeSchemaWords.includes(key.source));
}

/** `inputs.x`: a bare type or a map. */
export const inputSpec: Reader<InputSpec> = {
  expected: "a type or a map",
  schema: {
    anyOf: [
      { type: "string", pattern: typeSchemaPattern },
      inputMap.schema,
      { type: "object", anyOf: wholeSchemaWords.map((word) => ({ required: [word] })) },
    ],
  },
  read(node, reading, field) {
    if (node.kind !== "map" || isWholeSchema(node)) {
      const type = typeReader.read(node, reading, field);
      return type && { type };
    }
    const read = inputMap.read(node, reading, field);
    if (read === undefined) return undefined;
    const spec: InputSpec = { ...read, type: read.type ?? { kind: "string" } };
    const problem = misfit(spec, reading.patternBudget);
    if (problem === undefined) return spec;
    const at = entryOf(node, problem.field)?.value ?? node;
    reading.problem("invalid-value", at, `${reading.place(`${field}.${problem.field}`)} ${problem.what}`, problem.hint);
    return undefined;
  },
  write: (spec) => writeFields(spec, inputFields),
};

interface Misfit {
  readonly field: "pattern" | "default" | "enum";
  readonly what: string;
  readonly hint?: string;
}

function misfit(spec: InputSpec, budget: Budget): Misfit | undefined {
  const pattern = spec.pattern === undefined ? undefined : parsePattern(spec.pattern);
  if (pattern !== undefined && "problem" in pattern)
    return { field: "pattern", what: pattern.problem, hint: pattern.hint };
  if (spec.pattern !== undefined && typeSchema(spec.type)["type"] !== "string")
    return { field: "pattern", what: "fits only a text" };
  if (spec.enum !== undefined && spec.enum.length === 0)
    return { field: "enum", what: "is empty, so that no value would be allowed" };
  const misfitting = spec.enum?.find((value) => !fits(value, spec.type));
  if (misfitting !== undefined)
    return { field: "enum", what: `holds ${JSON.stringify(misfitting)}, which is not ${wordsOf(spec.type)}` };
  if (spec.default === undefined) return undefined;
  if (!fits(spec.default, spec.type))
    return { field: "default", what: `is ${JSON.stringify(spec.default)}, which is not ${wordsOf(spec.type)}` };
  if (spec.enum !== undefined && !spec.enum.some((value) => JSON.stringify(value) === JSON.stringify(spec.default))) {
    return { field: "default", what: "is not among the values of `enum`" };
  }
  const isMatch =
    pattern === undefined || typeof spec.default !== "string"
      ? undefined
      : matchesWhole(pattern.expression, spec.default, budget);
  return isMatch === false
    ? {
        field: "default",
        what: `does not match \`pattern\`, ${spec.pattern}`,
        hint: "A pattern holds for the whole value.",
      }
    : undefined;
}

/** A type as it is written, to stand after "must be" or "which is not". */
export function wordsOf(type: TypeSpec): string {
  const printed = printType(type);
  return typeof printed === "string" ? `\`${printed}\`` : "what the schema asks for";
}

/** Whether a value written in a document has the type; a schema is judged when a run starts. */
export function fits(value: Json, type: TypeSpec): boolean {
  switch (type.kind) {
    case "json":
    case "schema":
      return true;
    case "list":
      return Array.isArray(value) && value.every((item) => fits(item, type.of));
    case "enum":
      return typeof value === "string" && type.values.includes(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
    case "boolean":
      return typeof value === type.kind;
    case "duration":
      return isDuration(value);
    default:
      return typeof value === "string";
  }
}

const anyName = { pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, words: "a name of letters, digits, _ and -, at most 64" };

export const inputs = mapOf(inputSpec, anyName);

export const outputs: Reader<Readonly<Record<string, OutputSpec>>> = mapOf(
  object(
    {
      type: required(typeReader, "Type of the value."),
      from: required(template, "A reference to the port it comes from: `{node.port}`."),
    },
    "output `%`",
  ),
  anyName,
);
