import type { Blueprint } from "../../model/blueprint.ts";
import type { MapBody } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import { draftsOf, fromStock, wholeOnes } from "../draft.ts";
import type { NodeReading } from "../draft.ts";
import { unknownField } from "../read/table.ts";
import { nodeOrigins, readNode } from "../nodes.ts";
import type { Plugins } from "../plugin-node.ts";
import type { LocatedTemplate, Names, Reading } from "../read/reading.ts";
import type { LocatedEdge, NodeOrigin, Source } from "../source.ts";
import { overlayStock } from "./supply.ts";
import type { Located, LocatedEntry, LocatedMap } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";
import { bodyNode } from "./body-node.ts";
import { readEdges } from "./edges.ts";
import { readNext } from "./next.ts";
import { unset } from "../../model/unset.ts";

/** A body as rules see it; what is around it is added by whoever reads that. */
export type BodySource = Omit<Source, "outer">;

const keys = ["entry", "nodes", "edges"];
const nothing: Graph = { entry: "", origins: new Map(), nodes: new Map(), edges: [] };

/**
 * Reads what a map does with each item: a node, or a graph of nodes and edges. Its templates are its own; `collect` is
 * told of the body and of what the node around it has to know of them.
 */
export function readBody(
  at: Located,
  field: string,
  text: string,
  reading: Reading,
  plugins: Plugins,
  collect: (body: BodySource) => void,
): MapBody | undefined {
  if (at.kind !== "map") return reading.wrongType(at, field, "a node, or a map with `nodes` and `edges`");
  const { node, owner, templates, nodeNames, graphIsWhole, whoHas } = reading;
  const inner: LocatedTemplate[] = [];
  const bodies: BodySource[] = [];
  const readInner = reading.readBody;
  reading.templates = inner;
  reading.graphIsWhole = true;
  reading.readBody = (each, name) => readBody(each, name, text, reading, plugins, (found) => bodies.push(found));
  const read = graphOf(at, field, reading, plugins, nodeNames);
  const whole = reading.graphIsWhole;
  Object.assign(reading, { node, owner, templates, nodeNames, graphIsWhole, whoHas, readBody: readInner });
  for (const one of inner) templates.push({ ...one, node, inside: true });
  const blueprint: Blueprint = {
    ...empty,
    entry: read.entry,
    nodes: wholeOnes(read.nodes),
    edges: read.edges.map((one) => one.edge),
  };
  const { origins, edges } = read;
  collect({
    text,
    root: at,
    blueprint,
    origins,
    drafts: draftsOf(read.nodes),
    refused: new Set(),
    edges,
    templates: inner,
    graphIsWhole: whole,
    entryAt: undefined,
    bodies,
    ...(node === undefined ? {} : { map: node }),
  });
  if (blueprint.nodes.size !== origins.size || read.entry === "" || !whole) return undefined;
  // Nothing of a body stands for a setting of the document: what holds around it holds in it.
  const { entry, nodes, edges: own } = blueprint;
  return { entry, nodes, edges: own };
}

interface Graph {
  readonly entry: string;
  readonly origins: ReadonlyMap<string, NodeOrigin>;
  readonly nodes: ReadonlyMap<string, NodeReading>;
  readonly edges: readonly LocatedEdge[];
}

function graphOf(at: LocatedMap, field: string, reading: Reading, plugins: Plugins, around: Names): Graph {
  const listed = entryOf(at, "nodes")?.value;
  const [first] = at.entries;
  if (listed === undefined && first !== undefined && at.entries.every(isNode)) {
    const message = `${reading.place(field)} holds nodes, but not under \`nodes\``;
    const hint = `Write ${field}: {nodes: {${first.key.source}: …}, edges: […]}, or one node alone.`;
    reading.problem("missing-field", first.key, message, hint);
    return nothing;
  }
  if (listed === undefined) return single(at, reading, plugins, around);
  for (const entry of at.entries) if (!keys.includes(entry.key.source)) unknownField(entry, keys, reading);
  if (listed.kind !== "map") {
    reading.wrongType(listed, "nodes", "a map from names to nodes");
    return nothing;
  }
  const origins = nodeOrigins(listed, reading);
  for (const [id, { key }] of origins) {
    if (!around.has(id)) continue;
    const message = `A node inside a map cannot be named ${quote(id)}: a node outside has that name`;
    reading.problem("reserved-name", key, message, "Rename one of them, so that a reference means one of the two.");
  }
  const nodes = nodesOf(origins, reading, plugins, around);
  const edges = edgesOf(at, origins, reading);
  return { entry: entryOfBody(at, origins, edges, reading), origins, nodes, edges };
}

function isNode({ value }: LocatedEntry): boolean {
  return value.kind === "map" && entryOf(value, "type") !== undefined;
}

function single(at: LocatedMap, reading: Reading, plugins: Plugins, around: Names): Graph {
  const range = at.entries[0]?.key.range ?? at.range;
  const key = { kind: "scalar", range, source: bodyNode, value: bodyNode, style: "plain" } as const;
  const origins = new Map<string, NodeOrigin>([[bodyNode, { key, value: at }]]);
  return { entry: bodyNode, origins, nodes: nodesOf(origins, reading, plugins, around), edges: [] };
}

function nodesOf(
  origins: Map<string, NodeOrigin>,
  reading: Reading,
  plugins: Plugins,
  around: Names,
): ReadonlyMap<string, NodeReading> {
  overlayStock(origins, plugins);
  reading.nodeNames = { has: (name) => origins.has(name) || around.has(name) };
  const nodes = new Map<string, NodeReading>();
  for (const [id, { value, stock }] of origins) {
    if (nodes.size >= limits.nodesPerBlueprint) break;
    const read = readNode(id, value, reading, plugins);
    if (read !== undefined) nodes.set(id, stock === undefined ? read : fromStock(read, stock));
  }
  return nodes;
}

function edgesOf(at: LocatedMap, origins: ReadonlyMap<string, NodeOrigin>, reading: Reading): LocatedEdge[] {
  const listed = entryOf(at, "edges")?.value;
  const edges = listed === undefined ? [] : readEdges(listed, reading);
  for (const { key, value } of origins.values()) {
    const next = entryOf(value, "next");
    if (next !== undefined) edges.push(...readNext(key, next.value, reading));
  }
  return edges;
}

function entryOfBody(
  at: LocatedMap,
  origins: ReadonlyMap<string, NodeOrigin>,
  edges: readonly LocatedEdge[],
  reading: Reading,
): string {
  const given = entryOf(at, "entry")?.value;
  if (given?.kind === "scalar" && origins.has(given.source)) return given.source;
  const targets = new Set(edges.map(({ edge }) => edge.to));
  const [only, ...more] = [...origins.keys()].filter((id) => !targets.has(id));
  if (given === undefined && only !== undefined && more.length === 0) return only;
  const message = "It is not clear where the body of the map begins";
  reading.problem(
    "no-entry",
    given ?? at.entries[0]?.key ?? at,
    message,
    "Add `entry:` with the name of a node in it.",
  );
  return "";
}

const empty: Omit<Blueprint, "entry" | "nodes" | "edges"> = { name: "map", ...unset };
