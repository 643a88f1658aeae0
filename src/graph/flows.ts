import { at, item } from "./ints.ts";
import type { Loop } from "./loops.ts";
import type { Plan, When } from "./plan.ts";

/** What is known, without running it, of how arrivals leave a loop. */
export interface LoopFlow {
  /** Its one head, through which alone it is entered, or -1. */
  readonly head: number;
  /**
   * Whether the loop is left at most once each time it is entered: no ending both leaves and stays, and it either never
   * divides into arms or is left and repeated by one node alone.
   */
  readonly tight: boolean;
}

export function loopFlows(plan: Plan): LoopFlow[] {
  return plan.loops.map((loop, index) => {
    const [head = -1, ...others] = loop.heads;
    if (others.length > 0 || !isEnteredAt(plan, loop, head)) return { head: -1, tight: false };
    const nodes = [...loop.body.members];
    const endings = nodes.map((node) => endingsOf(plan, node, index));
    const exclusive = endings.every((kinds) => kinds.every(({ leaving, staying }) => leaving === 0 || staying === 0));
    const single = endings.every((kinds) => kinds.every(({ staying }) => staying <= 1));
    const deciding = nodes.filter((_, place) =>
      item(endings, place).some(({ leaving, looping }) => leaving > 0 || looping > 0),
    );
    return { head, tight: exclusive && (single || deciding.length === 1) };
  });
}

function isEnteredAt(plan: Plan, loop: Loop, head: number): boolean {
  const { from, inStart, inArcs } = plan.graph;
  return loop.body.members.every((node) => {
    if (node === head) return true;
    if (node === plan.entry) return false;
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      if (!loop.body.has(at(from, at(inArcs, i)))) return false;
    }
    return true;
  });
}

interface Ways {
  readonly leaving: number;
  readonly staying: number;
  readonly looping: number;
}

/** For each way a node can end, how many of its arcs leave the loop, stay in it, and are its loop edges. */
function endingsOf(plan: Plan, node: number, loop: number): Ways[] {
  const { to, outStart } = plan.graph;
  const { body } = item(plan.loops, loop);
  const arcs: number[] = [];
  for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) arcs.push(arc);
  return kindsOf(arcs.flatMap((arc) => item(plan.whens, arc))).map((kind) => {
    const taken = arcs.filter((arc) => item(plan.whens, arc).some((when) => canTake(when, kind)));
    const staying = taken.filter((arc) => body.has(at(to, arc)));
    const looping = staying.filter((arc) => at(plan.loopOf, arc) === loop);
    return { leaving: taken.length - staying.length, staying: staying.length, looping: looping.length };
  });
}

/**
 * Ways in which a node with edges under these conditions can end, as far as they
 * tell them apart: options, success, failure, error.
 */
export function kindsOf(whens: readonly When[]): readonly string[] {
  return [...new Set([...whens.filter(isOption), "success", "failure", "error"])];
}

function isOption(when: When): when is string {
  return when !== null && when !== "success" && when !== "failure" && when !== "error";
}

/** Whether an edge with this condition is taken when its node ends in this way. */
export function canTake(when: When, kind: string): boolean {
  if (when === null) return kind !== "error";
  return when === kind || (when === "success" && isOption(kind));
}
