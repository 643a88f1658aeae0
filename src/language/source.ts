import type { Blueprint } from "../model/blueprint.ts";
import type { Edge } from "../model/edge.ts";
import type { Range } from "../model/diagnostic.ts";
import type { Draft } from "./draft.ts";
import type { LocatedTemplate } from "./read/reading.ts";
import type { Located, LocatedMap, LocatedScalar } from "./tree.ts";
import { entryOf } from "./tree.ts";

/** A node as written. Several nodes share one definition when a flow uses a name twice. */
export interface NodeOrigin {
  readonly key: LocatedScalar;
  readonly value: Located;
  /** The stock node that it overlays. */
  readonly stock?: string;
}

/** An edge and where each part of it was written. */
export interface LocatedEdge {
  readonly edge: Edge;
  readonly from: Range;
  readonly to: Range;
  readonly when?: Range;
  readonly as?: Range;
  /** A part of it could not be read: only the ends that were read are known, the others stand as END. */
  readonly broken?: true;
}

/**
 * A document that was read, for rules: the blueprint as far as it could be read, and where everything stands.
 * `origins` has every node, `drafts` those of a known type, `blueprint.nodes` those that are whole.
 */
export interface Source {
  readonly text: string;
  readonly root: LocatedMap;
  readonly blueprint: Blueprint;
  readonly origins: ReadonlyMap<string, NodeOrigin>;
  readonly drafts: ReadonlyMap<string, Draft>;
  /** Keys of the top level that are written, well or misspelt, but could not be read. */
  readonly refused: ReadonlySet<string>;
  /** Parallel to `blueprint.edges`. */
  readonly edges: readonly LocatedEdge[];
  readonly templates: readonly LocatedTemplate[];
  /** False when nodes or edges are missing that were written. */
  readonly graphIsWhole: boolean;
  /** Where the entry is named; undefined when it was left out. */
  readonly entryAt: Range | undefined;
  /** The bodies of its maps, each a graph of its own. */
  readonly bodies: readonly Source[];
  /** The document or body around this body. */
  readonly outer?: Source;
  /** The map there whose body it is. */
  readonly map?: string;
}

/** The document that a body of a map stands in, or the document itself. */
export function outermost(source: Source): Source {
  return source.outer === undefined ? source : outermost(source.outer);
}

/** Range of a node's field value, or of its key when the field is not written there. */
export function fieldRange(source: Source, node: string, field?: string): Range {
  const origin = source.origins.get(node);
  if (origin === undefined) return source.root.range;
  const entry = field === undefined ? undefined : entryOf(origin.value, field);
  return entry?.value.range ?? origin.key.range;
}
