import type { Range, Related } from "../model/diagnostic.ts";
import type { Plan } from "../graph/plan.ts";
import type { Code } from "../language/codes.ts";
import type { Source } from "../language/source.ts";
import type { LocatedScalar } from "../language/tree.ts";
import type { CalleeOf } from "./callee.ts";
import type { Known } from "./mend.ts";
import type { Order } from "./order.ts";
import type { Topology } from "./topology.ts";

/** Reports one problem under the rule's code. */
export type RuleReport = (at: Range, message: string, hint?: string, related?: readonly Related[]) => void;

export interface RuleContext {
  readonly source: Source;
  /** The graph of nodes; built when first asked for. */
  readonly topology: () => Topology;
  /** The graph as an engine would follow it, whatever its nodes do; compiled when first asked for. */
  readonly plan: () => Plan;
  /** What can run before what; built when first asked for. */
  readonly order: () => Order;
  /** Where a part of a scalar's value stands in the text. */
  readonly within: (scalar: LocatedScalar, from: number, to: number) => Range;
  /** "; did you mean `x`?" or nothing. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
  /** Known tools; undefined when they are not known here. */
  readonly tools: ReadonlySet<string> | undefined;
  /** Content hashes by callee; undefined when nothing is pinned here. */
  readonly pins: ReadonlyMap<string, string> | undefined;
  readonly calleeOf: CalleeOf;
  /** Whether it is looked at as what another document calls. */
  readonly isCallee: boolean;
}

/** One check over a document that was read. Linear in the document. */
export interface Rule {
  readonly code: Code;
  /**
   * What has to be known for its answers to be certain. A rule over the document gets it as
   * written; the others get it with misspelt names mended, and run only when every edge leads
   * from a node to a node, so that one typo is one problem.
   */
  readonly needs: Known;
  check(context: RuleContext, report: RuleReport): void;
}
