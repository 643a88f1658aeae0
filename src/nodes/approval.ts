import type { Clock } from "../ports/clock.ts";
import type { ActionContext, Approval, Performer } from "../ports/performer.ts";
import type { NodeResult } from "../model/outcome.ts";
import { ask, outdated } from "./human.ts";
import { questionOf, type TreeOf } from "./question.ts";

export interface ApprovalParts {
  readonly clock: Clock;
  readonly treeOf: TreeOf;
}

/**
 * Holds what follows a gate to what was approved there: where the tree, what was shown or the definition of the node is another by the time
 * it starts, as after a wait for another arm or a crash, it is asked again, and without a yes nothing is done.
 */
export function holdToApprovals({ clock, treeOf }: ApprovalParts): (performer: Performer) => Performer {
  const stale = async (context: ActionContext, { gate, digest }: Approval): Promise<NodeResult | null> => {
    if ((await questionOf(context, gate, treeOf)).digest === digest) return null;
    const result = await ask(context, gate, { clock, treeOf, because: outdated });
    if (result.outcome === "success") return null;
    if (result.reason?.code !== "no_terminal") return result;
    const text = `what ${gate.id} approved does not stand, since ${outdated}, and nobody can be asked again here`;
    return { ...result, reason: { code: "no_terminal", text } };
  };
  const held = async (
    performer: Performer,
    context: ActionContext,
    approvals: readonly Approval[],
  ): Promise<NodeResult> => {
    for (const approval of approvals) {
      const result = await stale(context, approval);
      if (result !== null) return result;
    }
    return performer.perform(context);
  };
  return (performer) => ({
    type: performer.type,
    class: performer.class,
    missing: (node, can, blueprint) => performer.missing(node, can, blueprint),
    perform: (context) =>
      context.approvals === undefined ? performer.perform(context) : held(performer, context, context.approvals),
  });
}
