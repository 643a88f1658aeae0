/** The parts of a JSON Schema that the reference shows. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

/** The page of every key of a blueprint, from the schema that the checker's own field tables give. */
export function reference(schema: Schema): string {
  const definitions = schema.definitions ?? {};
  const types = Object.entries(definitions).filter(([name]) => !/^(body|edge|node|stock-.*)$/.test(name));
  const common = commonFields(types.map(([, type]) => type));
  const nested = Object.entries(schema.properties ?? {}).filter(
    ([name, value]) => name !== "nodes" && value.properties !== undefined,
  );
  return `${[
    "# The keys of a blueprint",
    "Generated from [the JSON Schema](../../schema/blueprint.schema.json); `trammel schema` prints that schema for your editor. An unknown key is an error. Required keys are marked with *. What this version can check but not run yet is refused by name before a run begins.",
    "## Top level",
    table(schema),
    ...nested.flatMap(([name, value]) => [`### \`${name}\``, table(value)]),
    "## Every node",
    table({ properties: common }),
    ...types.flatMap(([name, type]) => [`## Type \`${name}\``, table(without(type, common))]),
    "## Stock nodes",
    "In a `flow` these need no definition. Under `nodes`, fields are laid over them; `type: lint` makes a node of any name from one.",
    stock(schema.properties?.["nodes"] ?? {}),
    "## Edges",
    table(definitions["edge"] ?? {}),
  ].join("\n\n")}\n`;
}

/** The page of every key of a test file. */
export function testReference(schema: Schema): string {
  const test = schema.properties?.["tests"]?.items ?? {};
  const script = test.properties?.["nodes"]?.additionalProperties;
  const outcome = typeof script === "object" ? mapIn(script) : {};
  return `${[
    "# The keys of a test file",
    "Generated from [the JSON Schema](../../schema/test.schema.json); `trammel schema test` prints that schema for your editor. An unknown key is an error. Required keys are marked with *. [The guide](../guide/13-testing-blueprints.md) tells how they are used.",
    "## Top level",
    table(schema),
    "## A test",
    table(test),
    "## What a node comes to",
    "Under `nodes`, as one word, as this map, or as a list of either: one for each pass, and in it a list for the attempts of that pass.",
    table(outcome),
    "## What is expected",
    table(test.properties?.["expect"] ?? {}),
  ].join("\n\n")}\n`;
}

/** The form of a value that is a closed map. */
function mapIn(schema: Schema): Schema {
  if (schema.properties !== undefined) return schema;
  return (schema.anyOf ?? []).map(mapIn).find(({ properties }) => properties !== undefined) ?? {};
}

/** What most node types have, and have alike. */
function commonFields(types: readonly Schema[]): Readonly<Record<string, Schema>> {
  const all = types.flatMap(({ properties = {} }) => Object.entries(properties));
  const shared = all.filter(([name, field]) => {
    const alike = all.filter(([other, value]) => other === name && isSame(value, field));
    return name !== "type" && alike.length > types.length / 2;
  });
  return Object.fromEntries(shared);
}

function without({ properties = {}, required }: Schema, common: Readonly<Record<string, Schema>>): Schema {
  const own = Object.entries(properties).filter(([name, field]) => name !== "type" && !isSame(field, common[name]));
  return { properties: Object.fromEntries(own), ...(required === undefined ? {} : { required }) };
}

function isSame(a: Schema, b: Schema | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function table({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, value]) => {
    const key = `\`${name}\`${required.includes(name) ? " *" : ""}`;
    return `| ${key} | ${cell(valueOf(value))} | ${cell(value.description ?? "")} |`;
  });
  return rows.length === 0
    ? "No keys of its own."
    : ["| key | value | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

function stock({ properties = {} }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, { description = "" }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ["| name | what it does |", "| --- | --- |", ...rows].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** A schema in a few words. */
function valueOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/definitions/", "");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(valueOf))].join(" or ");
  if (Array.isArray(schema.type)) return schema.type.includes("array") ? "list" : "text";
  switch (schema.type) {
    case "string":
      return (
        quantityOf(schema.pattern ?? "") ??
        (schema.maxLength === undefined ? "text" : `text, at most ${schema.maxLength} characters`)
      );
    case "integer":
    case "number":
      return range(schema);
    case "boolean":
      return "`true` or `false`";
    case "null":
      return "`null`";
    case "array":
      return `list of ${valueOf(schema.items ?? {})}`;
    case "object":
      return typeof schema.additionalProperties === "object" ? `map to ${valueOf(schema.additionalProperties)}` : "map";
    default:
      return "any value";
  }
}

function range({ type, minimum, maximum }: Schema): string {
  const what = type === "integer" ? "whole number" : "number";
  if (minimum !== undefined && maximum !== undefined) return `${what} from ${minimum} to ${maximum}`;
  return minimum === undefined ? what : `${what} from ${minimum}`;
}

/** Quantities are told by the units in their pattern. */
function quantityOf(pattern: string): string | undefined {
  if (pattern.includes("ms|s|m|h|d")) return "duration, e.g. `5m`";
  if (/KiB|Ki/.test(pattern)) return "size, e.g. `64MiB`";
  if (pattern.includes("[kM]")) return "count, e.g. `500k`";
  if (pattern.includes("[A-Z]{3}")) return "amount, e.g. `5 USD`";
  return undefined;
}
