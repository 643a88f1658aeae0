import type { Node } from "../../model/node.ts";
import type { Range } from "../../model/diagnostic.ts";
import { Reading } from "../read/reading.ts";
import { readNode } from "../nodes.ts";
import type { Located, LocatedMap, LocatedScalar } from "../tree.ts";
import { entryOf } from "../tree.ts";
import { readYaml } from "../yaml.ts";
import { stockDefinitions } from "./definitions.ts";

interface StockNode {
  readonly tree: LocatedMap;
  readonly node: Node;
}

let known: ReadonlyMap<string, StockNode> | undefined;

/** The stock nodes by name; read when first asked for. */
export function stockNodes(): ReadonlyMap<string, StockNode> {
  known ??= readStock();
  return known;
}

function readStock(): ReadonlyMap<string, StockNode> {
  const fail = (problem: { readonly message: string }): never => {
    throw new Error(`the stock nodes are not valid: ${problem.message}`);
  };
  const root = readYaml(stockDefinitions, fail);
  if (root?.kind !== "map") return fail({ message: "no map" });
  const reading = new Reading(fail);
  return new Map(
    root.entries.map(({ key, value }) => {
      const read = readNode(key.source, value, reading, new Map());
      if (value.kind !== "map" || read?.whole !== true) return fail({ message: key.source });
      return [key.source, { tree: value, node: read.node }];
    }),
  );
}

/** A stock definition as if it stood at one place of a document. */
export function stockTree(name: string, at: Range): LocatedMap | undefined {
  const stock = stockNodes().get(name);
  return stock && moved(stock.tree, at);
}

function moved<T extends Located>(tree: T, range: Range): T {
  return relocate(tree, range) as T; // relocate keeps the kind
}

function relocate(tree: Located, range: Range): Located {
  switch (tree.kind) {
    case "scalar":
      return { ...tree, range, style: "plain" };
    case "list":
      return { ...tree, range, items: tree.items.map((item) => relocate(item, range)) };
    case "map":
      return {
        ...tree,
        range,
        entries: tree.entries.map(({ key, value }) => ({ key: moved(key, range), value: relocate(value, range) })),
      };
  }
}

const byKey: ReadonlySet<string> = new Set(["context", "env"]);

/**
 * A stock definition with the fields that a document gives in its place;
 * `env` and `context` are put together key by key.
 */
export function overlaid(stock: LocatedMap, own: LocatedMap): LocatedMap {
  const given = own.entries.filter(({ key }) => key.source !== "type");
  const names = new Set(given.map(({ key }) => key.source));
  const rest = stock.entries.filter(({ key }) => !names.has(key.source));
  const merged = given.map((entry) => {
    const base = stock.entries.find(({ key }) => key.source === entry.key.source)?.value;
    const both = byKey.has(entry.key.source) && base?.kind === "map" && entry.value.kind === "map";
    return both ? { ...entry, value: overlaid(base, entry.value) } : entry;
  });
  return { ...own, entries: [...rest, ...merged] };
}

/** A text of a stock definition with more behind it. */
export function withMore(tree: LocatedMap, field: string, more: string): LocatedMap {
  const entries = tree.entries.map((entry) => {
    if (entry.key.source !== field || entry.value.kind !== "scalar") return entry;
    const text = `${String(entry.value.value)}${more}`;
    const value: LocatedScalar = { ...entry.value, value: text, source: text };
    return { ...entry, value };
  });
  return { ...tree, entries };
}

/** A stock definition with a variable more; one that the document gives stays. */
export function withEnv(tree: LocatedMap, name: string, text: string): LocatedMap {
  const scalar = (source: string): LocatedScalar => ({
    kind: "scalar",
    range: tree.range,
    value: source,
    source,
    style: "double",
  });
  const given = entryOf(tree, "env")?.value ?? { kind: "map", range: tree.range, flow: true, entries: [] };
  if (given.kind !== "map" || text === "" || entryOf(given, name) !== undefined) return tree;
  const env = { ...given, entries: [...given.entries, { key: scalar(name), value: scalar(text) }] };
  const rest = tree.entries.filter(({ key }) => key.source !== "env");
  return { ...tree, entries: [...rest, { key: scalar("env"), value: env }] };
}
