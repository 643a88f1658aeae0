import type { Blueprint } from "../model/blueprint.ts";
import type { EventBody, NodeEnded } from "../model/events.ts";
import { armsOf } from "../graph/arms.ts";
import { type Bits, hasBit } from "../graph/bits.ts";
import { compile, isRace, nodeIndex, type Plan } from "../graph/plan.ts";

/**
 * Which node speaks for a run, told from its events: the one that ended last. In a run that succeeded that is none
 * that came too late for a join which needed fewer arms, and not `finally`: what a run gives neither hangs on how fast
 * its losers ended, nor is it what a cleanup said.
 */
export class LastWord {
  readonly #finally: string | undefined;
  /** Null where no join needs fewer than all of its arms. */
  readonly #plan: Plan | null;
  /** The arms of each such join that has begun. */
  readonly #settled = new Map<string, Bits>();
  #last: NodeEnded | null = null;
  #counted: NodeEnded | null = null;

  constructor(blueprint: Blueprint) {
    this.#finally = blueprint.finally;
    this.#plan = [...blueprint.nodes.values()].some(isRace) ? compile(blueprint) : null;
  }

  take(body: EventBody): void {
    if (body.type === "node.started") this.#begin(body.node);
    if (body.type !== "node.ended") return;
    this.#last = body;
    if (body.node !== this.#finally && !this.#isLate(body.node)) this.#counted = body;
  }

  /** Null where none has ended. */
  of(succeeded: boolean): NodeEnded | null {
    return (succeeded ? this.#counted : null) ?? this.#last;
  }

  #begin(node: string): void {
    if (this.#plan === null || this.#settled.has(node)) return;
    const race = nodeIndex(this.#plan, node);
    if (this.#plan.races.includes(race)) this.#settled.set(node, armsOf(this.#plan, race));
  }

  #isLate(node: string): boolean {
    if (this.#plan === null) return false;
    const index = nodeIndex(this.#plan, node);
    // One that an accepted change took away is no arm.
    return index >= 0 && [...this.#settled.values()].some((arms) => hasBit(arms, index));
  }
}
