import { carries, endingOf, endingOfSettled, type Ending } from "../engine/ending/endings.ts";
import type { Plan } from "../graph/plan.ts";
import { nodeIndex } from "../graph/plan.ts";
import type { EventBody } from "../model/events.ts";
import type { Outcome } from "../model/outcome.ts";

/** A pass of a node that ended, or that was skipped. */
export interface Step {
  readonly node: string;
  /** 0 of one that was skipped. */
  readonly pass: number;
  /** As it is routed, `expect: failure` applied. */
  readonly outcome: Outcome;
  readonly option: string | null;
  readonly reason: string | null;
}

/** What a run walked of its blueprint. */
export interface Walk {
  readonly steps: readonly Step[];
  /** Passes that started, by node. */
  readonly passes: ReadonlyMap<string, number>;
  /** Indices into the edges of the blueprint. */
  readonly edges: ReadonlySet<number>;
  /** Those of the runs inside it, by the beginning of their paths without the indices of items: `each/`. */
  readonly inside: ReadonlyMap<string, readonly Walk[]>;
}

export function walkOf(plan: Plan, events: Iterable<EventBody>, inside: Walk["inside"] = new Map()): Walk {
  const steps: Step[] = [];
  const passes = new Map<string, number>();
  const edges = new Set<number>();
  const end = (node: string, pass: number, ending: Ending): void => {
    const { outcome, option, reason } = ending;
    steps.push({ node, pass, outcome, option, reason: reason?.text ?? null });
    plan.blueprint.edges.forEach((edge, index) => {
      if (edge.from === node && carries(plan, nodeIndex(plan, node), edge.when ?? null, ending)) edges.add(index);
    });
  };
  for (const body of events) {
    switch (body.type) {
      case "node.started":
        if (body.attempt === 1) passes.set(body.node, (passes.get(body.node) ?? 0) + 1);
        break;
      case "node.ended":
        end(body.node, body.pass, endingOf(plan, nodeIndex(plan, body.node), body.result));
        break;
      case "node.settled":
        if (body.as !== "again") end(body.node, body.pass, endingOfSettled(body));
        break;
      case "node.skipped":
        steps.push({ node: body.node, pass: 0, outcome: "skipped", option: null, reason: body.reason.text });
        break;
      default:
    }
  }
  return { steps, passes, edges, inside };
}
