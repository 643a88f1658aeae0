import { isNodeField } from "./node-hints.ts";
import type { Reading } from "./read/reading.ts";
import type { Located, LocatedEntry, LocatedMap } from "./tree.ts";
import { entryOf, quote } from "./tree.ts";

/**
 * The nodes of a document, each with the fields below it that are indented as if they were nodes. That is told once for
 * each node, and the node is read as it was meant.
 */
export function withOutdented(map: LocatedMap, reading: Reading): readonly LocatedEntry[] {
  const nodes: { readonly entry: LocatedEntry; readonly fields: LocatedEntry[] }[] = [];
  for (const entry of map.entries) {
    const node = nodes.at(-1);
    if (node !== undefined && isFieldOf(node.entry.value, entry, node.fields)) node.fields.push(entry);
    else nodes.push({ entry, fields: [] });
  }
  return nodes.map(({ entry, fields }) => {
    const [first] = fields;
    if (first === undefined) return entry;
    const name = quote(entry.key.source);
    const keys = fields.map(({ key }) => quote(key.source));
    const them = keys.length === 1 ? keys.join() : `${keys.slice(0, -1).join(", ")} and ${keys.at(-1) ?? ""}`;
    const message = `${them} ${keys.length === 1 ? "stands" : "stand"} beside node ${name}, not in it`;
    const hint = map.flow ? `Move it into the braces of ${name}.` : `Indent it more than ${name}.`;
    reading.problem("wrong-type", first.key, message, keys.length === 1 ? hint : hint.replace(" it ", " them "));
    return { key: entry.key, value: withFields(entry.value, fields, first) };
  });
}

function isFieldOf(node: Located, { key, value }: LocatedEntry, fields: readonly LocatedEntry[]): boolean {
  if (value.kind === "map" || !isNodeField(key.source)) return false;
  const isThere = fields.some((each) => each.key.source === key.source);
  return !isThere && (node.kind === "map" ? entryOf(node, key.source) === undefined : isEmpty(node));
}

function isEmpty(node: Located): boolean {
  return node.kind === "scalar" && node.value === null && node.source === "";
}

function withFields(node: Located, fields: readonly LocatedEntry[], first: LocatedEntry): LocatedMap {
  if (node.kind === "map") return { ...node, entries: [...node.entries, ...fields] };
  const range = { start: first.key.range.start, end: (fields.at(-1) ?? first).value.range.end };
  return { kind: "map", range, flow: false, entries: fields };
}
