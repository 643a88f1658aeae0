import type { Range } from "../model/diagnostic.ts";

/**
 * A YAML document with ranges, aliases resolved. Shared by reference where an
 * alias stands, so never walk it without a bound.
 */
export type Located = LocatedScalar | LocatedMap | LocatedList;

export interface LocatedScalar {
  readonly kind: "scalar";
  readonly range: Range;
  /** By the YAML 1.2 core schema. */
  readonly value: string | number | boolean | null;
  /** As written, without quotes; what a name is read from, so that `on`, `no` and `010` stay names. */
  readonly source: string;
  readonly style: "plain" | "single" | "double" | "block";
}

export interface LocatedEntry {
  readonly key: LocatedScalar;
  readonly value: Located;
}

export interface LocatedMap {
  readonly kind: "map";
  readonly range: Range;
  readonly flow: boolean;
  readonly entries: readonly LocatedEntry[];
}

export interface LocatedList {
  readonly kind: "list";
  readonly range: Range;
  readonly items: readonly Located[];
}

/** The entry of a key, or undefined; linear, so for maps of a few keys. */
export function entryOf(map: Located | undefined, key: string): LocatedEntry | undefined {
  return map?.kind === "map" ? map.entries.find((entry) => entry.key.source === key) : undefined;
}

export function valueOf(map: Located | undefined, ...path: readonly string[]): Located | undefined {
  let at = map;
  for (const key of path) at = entryOf(at, key)?.value;
  return at;
}

/** What a person would call the value, to stand after "not". */
export function describe(node: Located): string {
  if (node.kind === "map") return "a map";
  if (node.kind === "list") return "a list";
  if (node.value === null) return "an empty value";
  if (typeof node.value === "string") return `the text ${quote(node.value)}`;
  return typeof node.value === "number" ? `the number ${node.source}` : node.source;
}

/** A value in a message: one line, bounded, in backticks. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
