import { listOf, type Placed } from "../language/read/collections.ts";
import type { Reader } from "../language/read/reading.ts";

/** What `reader` reads, with its place. */
export function placed<T>(reader: Reader<T>): Reader<Placed<T>> {
  return {
    expected: reader.expected,
    schema: reader.schema,
    read(node, reading, field) {
      const value = reader.read(node, reading, field);
      return value === undefined ? undefined : { value, at: node.range };
    },
    write: ({ value }) => reader.write(value),
  };
}

/** A value or `null`, which means that there is none. */
export function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return {
    expected: `${reader.expected} or null`,
    schema: { anyOf: [reader.schema, { type: "null" }] },
    read: (node, reading, field) =>
      node.kind === "scalar" && node.value === null ? null : reader.read(node, reading, field),
    write: (value) => (value === null ? null : reader.write(value)),
  };
}

/** One of two forms, told apart by whether a map is written; `isOther` tells their values apart. */
export function mapOr<M, S>(map: Reader<M>, other: Reader<S>, isOther: (value: M | S) => value is S): Reader<M | S> {
  return {
    expected: `${other.expected}, or a map`,
    schema: { anyOf: [other.schema, map.schema] },
    read: (node, reading, field) => (node.kind === "map" ? map : other).read(node, reading, field),
    write: (value) => (isOther(value) ? other.write(value) : map.write(value)),
  };
}

/** A list that is not empty: an empty one would say nothing. */
export function someOf<T>(item: Reader<T>, hint: string): Reader<readonly T[]> {
  const list = listOf(item);
  return {
    ...list,
    schema: { ...list.schema, minItems: 1 },
    read(node, reading, field) {
      if (node.kind !== "list" || node.items.length > 0) return list.read(node, reading, field);
      reading.problem("invalid-value", node, `${reading.place(field)} is empty`, hint);
      return undefined;
    },
  };
}

/** A map or list that says something: an empty one, where it is what a test expects, holds whatever comes. */
export function notEmpty<T>(reader: Reader<T>, hint: string): Reader<T> {
  return {
    ...reader,
    schema: { ...reader.schema, minItems: 1, minProperties: 1 },
    read(node, reading, field) {
      const size = node.kind === "map" ? node.entries.length : node.kind === "list" ? node.items.length : 1;
      if (size > 0) return reader.read(node, reading, field);
      reading.problem("invalid-value", node, `${reading.place(field)} is empty, so it expects nothing`, hint);
      return undefined;
    },
  };
}
