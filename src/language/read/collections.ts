import type { Range } from "../../model/diagnostic.ts";
import type { Json } from "../../model/json.ts";
import type { Located } from "../tree.ts";
import { quote } from "../tree.ts";
import type { Reader } from "./reading.ts";

/** A list. */
export function listOf<T>(item: Reader<T>): Reader<readonly T[]> {
  const expected = `a list (each ${item.expected})`;
  return {
    expected,
    schema: { type: "array", items: item.schema },
    read: (node, reading, field) =>
      node.kind === "list"
        ? node.items.flatMap((element) => there(item.read(element, reading, field)))
        : reading.wrongType(node, field, expected, asList(node, field)),
    write: (values) => values.map((value) => item.write(value)),
  };
}

/** A list, or a single value in place of a list of one. */
export function oneOrMore<T>(item: Reader<T>): Reader<readonly T[]> {
  const list = listOf(item);
  return {
    expected: `${item.expected} or a list of them`,
    schema: { anyOf: [item.schema, list.schema] },
    read(node, reading, field) {
      if (node.kind === "list") return list.read(node, reading, field);
      const single = item.read(node, reading, field);
      return single === undefined ? undefined : [single];
    },
    write: (values) => list.write(values),
  };
}

function there<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

/** How one value, or the names of a map, are written as a list. */
function asList(node: Located, field: string): string | undefined {
  if (node.kind === "map" && node.entries.length > 0)
    return `Write ${field}: [${node.entries.map(({ key }) => key.source).join(", ")}]`;
  return node.kind === "scalar" && node.source !== "" ? `Write ${field}: [${node.source}]` : undefined;
}

/** How a list of names, or of `NAME=value`, is written as a map. */
function asMap(node: Located, field: string): string | undefined {
  const [first] = node.kind === "list" ? node.items : [];
  if (first === undefined) return undefined;
  const [, name, value = "…"] = /^([\w-]+)(?:=(.*))?$/s.exec(first.kind === "scalar" ? first.source : "") ?? [];
  return `Write a map${name === undefined ? "" : `, such as ${field}: {${name}: ${JSON.stringify(value).replaceAll('"…"', "…")}}`}.`;
}

/** A value and where it is written. */
export interface Placed<T> {
  readonly value: T;
  readonly at: Range;
}

/** An entry of a map whose keys the author chooses; `at` is its key. */
export interface Entry<T> extends Placed<T> {
  readonly name: string;
}

/** What the keys of a map must be like; `words` follow "must be". */
interface KeyRules {
  readonly pattern: RegExp;
  readonly words: string;
}

/** A map whose keys the author chooses, in order and each with its place. */
export function entriesOf<T>(value: Reader<T>, keys?: KeyRules): Reader<readonly Entry<T>[]> {
  return {
    expected: "a map",
    schema: {
      type: "object",
      additionalProperties: value.schema,
      ...(keys === undefined ? {} : { propertyNames: { pattern: keys.pattern.source } }),
    },
    read(node, reading, field) {
      if (node.kind !== "map") return reading.wrongType(node, field, "a map", asMap(node, field));
      return node.entries.flatMap(({ key, value: at }) => {
        const name = key.source;
        if (keys !== undefined && !keys.pattern.test(name)) {
          reading.problem("invalid-name", key, `${quote(name)} in ${reading.place(field)} must be ${keys.words}`);
          return [];
        }
        return there(value.read(at, reading, `${field}.${name}`)).map((read) => ({ name, value: read, at: key.range }));
      });
    },
    write: (entries) => Object.fromEntries(entries.map(({ name, value: each }) => [name, value.write(each)])),
  };
}

/** A map from names that the author chooses. */
export function mapOf<T>(value: Reader<T>, keys?: KeyRules): Reader<Readonly<Record<string, T>>> {
  const inOrder = entriesOf(value, keys);
  return {
    expected: inOrder.expected,
    schema: inOrder.schema,
    read(node, reading, field) {
      const entries = inOrder.read(node, reading, field);
      if (entries === undefined) return undefined;
      const result: Record<string, T> = Object.create(null);
      for (const entry of entries) result[entry.name] = entry.value;
      return result;
    },
    write: (values) => Object.fromEntries(Object.entries(values).map(([key, each]) => [key, value.write(each)])),
  };
}

/** Any value as JSON. */
export const json: Reader<Json> = {
  expected: "a value",
  schema: {},
  read: (node) => toJson(node),
  write: (value) => value,
};

export function toJson(node: Located): Json {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(toJson);
  return Object.fromEntries(node.entries.map((entry) => [entry.key.source, toJson(entry.value)]));
}
