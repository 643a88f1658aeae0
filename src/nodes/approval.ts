import type { HumanNode } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionContext, Approval, Performer } from "../ports/performer.ts";
import type { NodeResult, Reason } from "../model/outcome.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import { ask, outdated, restless, stoppedWaiting } from "./human.ts";
import { type Asked, questionOf, type Showing } from "./question.ts";

export interface ApprovalParts extends Showing {
  readonly clock: Clock;
}

/**
 * Holds what follows a gate to what was approved there: where the tree, what was shown or the
 * definition of the node is another by the time it starts, as after a wait for another arm or a
 * crash, or this is a fork of the run that was approved, it is asked again, and without a yes nothing is done.
 */
export function holdToApprovals(parts: ApprovalParts): (performer: Performer) => Performer {
  const firstStale = async (context: ActionContext, approvals: readonly Approval[]): Promise<Approval | undefined> => {
    for (const one of approvals) {
      const now = await questionOf(context, one.gate, one.pass, parts);
      if (!stands(one, now)) return one;
    }
    return undefined;
  };
  /** Null once all that was approved stands. */
  const unapproved = async (context: ActionContext, approvals: readonly Approval[]): Promise<NodeResult | null> => {
    let standing = approvals;
    // An answer takes its time, in which what another gate approved may change: then all are looked at anew.
    for (let times = 0; ; times += 1) {
      const stale = await firstStale(context, standing);
      if (stale === undefined) return null;
      const { gate, pass } = stale;
      if (times === limits.gateOpenings) return restless(gate, times);
      const because = stale.elsewhere === true ? usedElsewhere : outdated;
      const { result, digest, nobody } = await ask(context, gate, { ...parts, pass, because });
      if (nobody === true) return { ...result, reason: unasked(gate, because) };
      if (result.outcome !== "success" || digest === undefined) return result;
      // Else a crash would take what has begun for what still waits for the answer.
      await context.recorded();
      if (context.signal.aborted) return stoppedWaiting;
      standing = standing.map((one) => (one === stale ? { gate, pass, digest } : one));
    }
  };
  return (performer) => ({
    ...performer,
    async perform(context) {
      const { approvals } = context;
      const without = approvals === undefined ? null : await unapproved(context, approvals).catch(ofBlob);
      // Said, so that another attempt is held to the same.
      return without === null ? performer.perform(context) : { ...without, beforeEffect: true };
    },
  });
}

/** What an earlier attempt wrote into the tree is not what somebody else changed there: the rest has to be the same. */
function stands({ digest, over, begun, elsewhere }: Approval, now: Asked): boolean {
  if (elsewhere === true) return false;
  if (begun !== true || over === undefined) return now.digest === digest;
  return over.shown === now.over.shown && over.next === now.over.next;
}

function ofBlob(error: unknown): NodeResult {
  if (!(error instanceof BlobFailure)) throw error;
  return { outcome: "error", reason: { code: "spill", text: error.message } };
}

const usedElsewhere = "it was answered for the run that this one is a fork of";

function unasked({ id }: HumanNode, because: string): Reason {
  const text = `what ${id} approved does not stand, since ${because}, and nobody can be asked again here`;
  return { code: "no_terminal", text };
}
