import { END } from "../../model/edge.ts";
import type { Range } from "../../model/diagnostic.ts";
import { limits } from "../../model/limits.ts";
import { capital, unknownField } from "../read/table.ts";
import type { Reading } from "../read/reading.ts";
import { word } from "../read/scalars.ts";
import type { LocatedEdge } from "../source.ts";
import type { Located, LocatedMap, LocatedScalar } from "../tree.ts";
import { describe, quote } from "../tree.ts";

const edgeKeys = ["from", "to", "when", "as"];
const ending = word("failed");

/** Reads `edges`: one located edge per from × to × when, in document order. */
export function readEdges(node: Located, reading: Reading): LocatedEdge[] {
  const edges: LocatedEdge[] = [];
  if (node.kind !== "list") {
    if (node.kind !== "scalar" || node.value !== null) {
      reading.graphIsWhole = false;
      reading.owner = "the document";
      reading.wrongType(node, "edges", "a list of edges", "Write a list, such as edges: [{from: a, to: b}].");
    }
    return edges;
  }
  for (const [index, item] of node.items.entries()) {
    reading.owner = `edge ${index + 1}`;
    if (item.kind === "map") readEdge(item, reading, edges);
    else {
      reading.graphIsWhole = false;
      const message = `${capital(reading.owner)} must be a map such as {from: a, to: b}, not ${describe(item)}`;
      reading.problem("wrong-type", item, message, arrowHint(item));
    }
    if (edges.length > limits.edgesPerBlueprint) {
      reading.graphIsWhole = false;
      reading.problem("invalid-value", item, `The document has more than ${limits.edgesPerBlueprint} edges`);
      return [];
    }
  }
  return edges;
}

/** `a -> b` says what an edge says. */
function arrowHint(item: Located): string | undefined {
  const ends = item.kind === "scalar" ? /^([\w-]+)\s*(?:->|→|=>)\s*([\w-]+)$/.exec(item.source) : null;
  return ends === null ? undefined : `Write {from: ${ends[1]}, to: ${ends[2]}}, or the whole graph as \`flow:\`.`;
}

interface Parts {
  from?: readonly LocatedScalar[];
  to?: readonly LocatedScalar[];
  when?: readonly LocatedScalar[];
  as?: { readonly value: "failed"; readonly range: Range };
}

function readEdge(map: LocatedMap, reading: Reading, edges: LocatedEdge[]): void {
  const parts: Parts = {};
  const keys = new Set(map.entries.map((entry) => entry.key.source));
  for (const entry of map.entries) {
    const written = entry.key.source;
    const key = edgeKeys.includes(written) ? written : unknownField(entry, edgeKeys, reading);
    // A misspelt key is read as the one that was meant, so that the edge still leads somewhere.
    if (key === undefined || (key !== written && keys.has(key))) continue;
    if (key === "from" || key === "to" || key === "when") parts[key] = names(entry.value, reading, key);
    else {
      const value = ending.read(entry.value, reading, "as");
      if (value !== undefined) parts.as = { value, range: entry.value.range };
    }
  }
  for (const key of ["from", "to"] as const) {
    if (parts[key] !== undefined) continue;
    reading.graphIsWhole = false;
    reading.problem(
      "missing-field",
      map,
      `${capital(reading.owner)} has no \`${key}\``,
      `Write {from: a, to: b}; \`to: END\` ends the path.`,
    );
  }
  const unknown: LocatedScalar = { kind: "scalar", range: map.range, value: END, source: END, style: "plain" };
  const ends = { from: orElse(parts.from, unknown), to: orElse(parts.to, unknown) };
  const isBroken = [parts.from, parts.to, parts.when ?? [unknown]].some(
    (part) => part === undefined || part.length === 0,
  );
  for (const from of ends.from) {
    for (const to of ends.to) {
      for (const when of isBroken ? [undefined] : (parts.when ?? [undefined])) {
        if (edges.length > limits.edgesPerBlueprint) return;
        const edge = locatedEdge(from, to, when, isBroken ? undefined : parts.as, reading);
        edges.push(isBroken ? { ...edge, broken: true } : edge);
      }
    }
  }
}

function orElse(names: readonly LocatedScalar[] | undefined, unknown: LocatedScalar): readonly LocatedScalar[] {
  return names === undefined || names.length === 0 ? [unknown] : names;
}

function locatedEdge(
  from: LocatedScalar,
  to: LocatedScalar,
  when: LocatedScalar | undefined,
  as: Parts["as"],
  reading: Reading,
): LocatedEdge {
  const target = isEnd(to.source) ? END : to.source;
  if (as !== undefined && target !== END) {
    reading.problem(
      "invalid-value",
      as.range,
      `\`as: failed\` says how a path ends, but this edge leads to ${quote(to.source)}`,
      "Use it on an edge to END.",
    );
  }
  return {
    edge: {
      from: from.source,
      to: target,
      ...(when === undefined ? {} : { when: when.source }),
      ...(as === undefined ? {} : { as: as.value }),
    },
    from: from.range,
    to: to.range,
    ...(when === undefined ? {} : { when: when.range }),
    ...(as === undefined ? {} : { as: as.range }),
  };
}

export function isEnd(name: string): boolean {
  return name.length === 3 && name.toUpperCase() === END;
}

/** A name or a list of names. */
export function names(node: Located, reading: Reading, field: string): readonly LocatedScalar[] {
  const items = node.kind === "list" ? node.items : [node];
  if (items.length === 0) {
    reading.graphIsWhole = false;
    reading.problem("invalid-value", node, `${reading.place(field)} is an empty list`);
  }
  return items.flatMap((item) => {
    if (item.kind === "scalar" && item.source !== "") return [item];
    reading.graphIsWhole = false;
    const isMap = field === "next" && item.kind === "map" && node.kind === "list";
    reading.wrongType(item, field, "a name", isMap ? "Write one map: next: {success: a, failure: [b, c]}." : undefined);
    return [];
  });
}
