import type { Blueprint } from "../model/blueprint.ts";
import type { Node } from "../model/node.ts";
import { END } from "../model/edge.ts";
import type { Range } from "../model/diagnostic.ts";
import { limits } from "../model/limits.ts";
import type { Report } from "./codes.ts";
import { draftsOf, fromStock, wholeOnes } from "./draft.ts";
import type { NodeReading } from "./draft.ts";
import type { BodySource } from "./expand/body.ts";
import { readBody } from "./expand/body.ts";
import { readEdges } from "./expand/edges.ts";
import type { LocatedFlow } from "./expand/flow-nodes.ts";
import { expandFlow, readFlow } from "./expand/flow-nodes.ts";
import { readBefore } from "./before-fault.ts";
import { checkForm } from "./document-form.ts";
import { readNext } from "./expand/next.ts";
import { documentFields, graphKeys, watchKeys } from "./fields/document.ts";
import { Reading } from "./read/reading.ts";
import { readPart } from "./read/table.ts";
import type { Read } from "./read/table.ts";
import type { Plugins } from "./plugin-node.ts";
import { nodeOrigins, readNode } from "./nodes.ts";
import type { LocatedEdge, NodeOrigin, Source } from "./source.ts";
import { stockNodes } from "./stock/set.ts";
import { overlayStock, supplyStock } from "./expand/supply.ts";
import type { Located, LocatedMap } from "./tree.ts";
import { describe, entryOf } from "./tree.ts";
import { readTree } from "./yaml.ts";
import { unset } from "../model/unset.ts";

/**
 * Reads a document: text → tree → fields → expanded graph. Reports what makes a part unreadable; rules judge the rest.
 * Null when there is no map to look into.
 */
export function readDocument(text: string, report: Report, plugins: Plugins): Source | null {
  const read = readTree(text, report);
  if (read === null) return null;
  const { root, isWhole } = read;
  if (!isWhole) {
    if (root.kind === "map") readBefore(text, root, report, plugins);
    return null;
  }
  const reading = new Reading(report);
  if (root.kind !== "map") {
    const hint = "A blueprint is a map with `name:`, `nodes:` and `edges:`.";
    reading.problem("wrong-type", root, `The document must be a map, not ${describe(root)}`, hint);
    return null;
  }
  return new DocumentReader(text, root, reading, plugins).read();
}

class DocumentReader {
  readonly #text: string;
  readonly #root: LocatedMap;
  readonly #reading: Reading;
  readonly #plugins: Plugins;

  constructor(text: string, root: LocatedMap, reading: Reading, plugins: Plugins) {
    this.#text = text;
    this.#root = root;
    this.#reading = reading;
    this.#plugins = plugins;
  }

  read(): Source {
    const reading = this.#reading;
    const nodesAt = this.#section("nodes");
    const origins = nodesAt === undefined ? new Map<string, NodeOrigin>() : nodeOrigins(nodesAt, reading);
    overlayStock(origins, this.#plugins);
    const flow = this.#flow();
    if (flow !== null) supplyStock(flow, origins);
    reading.nodeNames = new Set(origins.keys());
    const bodies: BodySource[] = [];
    reading.stockNames = () => stockNodes().keys();
    reading.readBody = (at, field) =>
      readBody(at, field, this.#text, reading, this.#plugins, (body) => bodies.push(body));
    const top = readPart(this.#root, documentFields, reading, [...graphKeys, ...watchKeys]);
    const refused = this.#refused(top.whole ? [] : top.refused, flow);
    checkForm(this.#root, refused, reading);
    const drafts = this.#drafts(origins);
    const edges = flow === null ? this.#edges(origins) : expandFlow(flow, origins, drafts, reading);
    reading.owner = "the document";
    reading.node = undefined;
    if (["nodes", "edges", "flow"].some((key) => refused.has(key))) reading.graphIsWhole = false;
    const entry = this.#entry(origins, edges, flow, refused);
    return {
      text: this.#text,
      root: this.#root,
      blueprint: assemble(top.values, entry?.name ?? "", wholeOnes(drafts), edges),
      origins,
      drafts: draftsOf(drafts),
      refused,
      edges,
      templates: reading.templates,
      graphIsWhole: reading.graphIsWhole,
      entryAt: entry?.at,
      bodies,
    };
  }

  /** Keys of the top level from whose absence nothing follows. */
  #refused(unread: Iterable<string>, flow: LocatedFlow | null): ReadonlySet<string> {
    const refused = new Set(unread);
    const nodes = this.#at("nodes");
    if (nodes !== undefined && nodes.kind !== "map") refused.add("nodes");
    if (flow === null && this.#at("flow") !== undefined) refused.add("flow");
    return refused;
  }

  #at(key: string): Located | undefined {
    return entryOf(this.#root, key)?.value;
  }

  #section(key: string): LocatedMap | undefined {
    const node = this.#at(key);
    if (node === undefined || node.kind === "map") return node;
    return this.#reading.wrongType(node, key, "a map from names to nodes", namesHint(node));
  }

  #drafts(origins: ReadonlyMap<string, NodeOrigin>): Map<string, NodeReading> {
    const drafts = new Map<string, NodeReading>();
    if (origins.size > limits.nodesPerBlueprint) {
      const at = this.#at("nodes") ?? this.#root;
      this.#reading.graphIsWhole = false;
      this.#reading.problem(
        "invalid-value",
        at,
        `The document has ${origins.size} nodes; at most ${limits.nodesPerBlueprint} are allowed`,
      );
      return drafts;
    }
    for (const [id, { value, stock }] of origins) {
      const read = readNode(id, value, this.#reading, this.#plugins);
      if (read !== undefined) drafts.set(id, stock === undefined ? read : fromStock(read, stock));
    }
    return drafts;
  }

  /** `edges` of the document and `next` of its nodes. */
  #edges(origins: ReadonlyMap<string, NodeOrigin>): LocatedEdge[] {
    const listed = this.#at("edges");
    const edges = listed === undefined ? [] : readEdges(listed, this.#reading);
    const sources = new Set(edges.map(({ edge }) => edge.from));
    for (const [id, { key, value }] of origins) {
      const next = entryOf(value, "next");
      if (next === undefined) continue;
      this.#reading.owner = `node \`${id}\``;
      if (sources.has(id)) {
        const message = `Node \`${id}\` has \`next\` and also edges in \`edges\`; it has one form or the other`;
        this.#reading.problem("two-forms", next.key, message, "Move its edges into one of the two.");
      }
      edges.push(...readNext(key, next.value, this.#reading));
    }
    return edges;
  }

  #flow(): LocatedFlow | null {
    const flow = this.#at("flow");
    return flow === undefined ? null : readFlow(this.#text, flow, this.#reading);
  }

  #entry(
    origins: ReadonlyMap<string, NodeOrigin>,
    edges: readonly LocatedEdge[],
    flow: LocatedFlow | null,
    refused: ReadonlySet<string>,
  ): { readonly name: string; readonly at: Range | undefined } | undefined {
    const given = this.#at("entry");
    if (given?.kind === "scalar" && given.source !== "") return { name: given.source, at: given.range };
    if (given !== undefined) return this.#reading.wrongType(given, "entry", "the name of a node");
    if (flow !== null) return { name: flow.steps[0]?.nodes[0]?.id ?? "", at: undefined };
    if (origins.size === 0 || refused.has("entry") || !this.#reading.graphIsWhole) return undefined;
    const targets = this.#targets(origins, edges);
    if (targets === undefined) return undefined;
    const without = [...origins.keys()].filter((id) => !targets.has(id));
    // Where nothing leads to it, what a run ends with is not what it begins with.
    const others = without.filter((id) => id !== this.#lastNode());
    const free = others.length === 0 ? without : others;
    const [only] = free;
    if (only !== undefined && free.length === 1) return { name: only, at: undefined };
    const shown = free
      .slice(0, limits.entriesNamed)
      .map((id) => `\`${id}\``)
      .join(", ");
    const why =
      free.length === 0 ? "every node has an incoming edge" : `${free.length} nodes have no incoming edge (${shown})`;
    const at = entryOf(this.#root, "nodes")?.key ?? this.#root.entries[0]?.key ?? this.#root;
    const hint =
      edges.length === 0
        ? "Say what follows what, such as edges: [{from: a, to: b}], or name the first node with `entry:`."
        : "Add `entry:` with the name of a node.";
    this.#reading.problem("no-entry", at, `It is not clear where the run begins: ${why}`, hint);
    return undefined;
  }

  #lastNode(): string | undefined {
    const last = this.#at("finally");
    return last?.kind === "scalar" ? last.source : undefined;
  }

  /** Nodes that an edge leads to, a misspelt name standing for the nearest; undefined when one leads nowhere known. */
  #targets(origins: ReadonlyMap<string, NodeOrigin>, edges: readonly LocatedEdge[]): ReadonlySet<string> | undefined {
    const targets = new Set<string>();
    for (const { edge } of edges) {
      const target =
        edge.to === END || origins.has(edge.to) ? edge.to : this.#reading.nearest(edge.to, [...origins.keys(), END]);
      if (target === undefined) return undefined;
      targets.add(target);
    }
    return targets;
  }
}

/** A list of nodes has their names inside. */
function namesHint(node: Located): string | undefined {
  const [first] = node.kind === "list" ? node.items : [];
  if (first === undefined) return undefined;
  const named = entryOf(first, "id")?.value ?? entryOf(first, "name")?.value;
  const name = named?.kind === "scalar" && /^[\w-]+$/.test(named.source) ? named.source : "build";
  return `Write each node under its name, without a dash: nodes: {${name}: {type: script, run: …}}.`;
}

function assemble(
  top: Partial<Read<typeof documentFields>>,
  entry: string,
  nodes: ReadonlyMap<string, Node>,
  edges: readonly LocatedEdge[],
): Blueprint {
  return {
    ...unset,
    name: "",
    ...top,
    entry,
    nodes,
    edges: edges.map(({ edge }) => edge),
  };
}
