import type { Range, Related } from "../model/diagnostic.ts";
import type { Code } from "../language/codes.ts";
import type { Source } from "../language/source.ts";
import type { LocatedScalar } from "../language/tree.ts";
import type { Order } from "./order.ts";
import type { Topology } from "./topology.ts";

/** Reports one problem under the rule's code. */
export type RuleReport = (at: Range, message: string, hint?: string, related?: readonly Related[]) => void;

export interface RuleContext {
  readonly source: Source;
  /** The graph of nodes; built when first asked for. */
  readonly topology: () => Topology;
  /** What can run before what; null when a node could not be read. Built when first asked for. */
  readonly order: () => Order | null;
  /** Where a part of a scalar's value stands in the text. */
  readonly within: (scalar: LocatedScalar, from: number, to: number) => Range;
  /** "; did you mean `x`?" or nothing. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
  /** Known tools; undefined when they are not known here. */
  readonly tools: ReadonlySet<string> | undefined;
}

/** One check over a document that was read. Linear in the document. */
export interface Rule {
  readonly code: Code;
  /** A `graph` rule runs only when every edge leads from a node to a node, so that one typo is one problem. */
  readonly needs: "document" | "graph";
  check(context: RuleContext, report: RuleReport): void;
}
