import type { Blueprint } from "../model/blueprint.ts";
import type { Ahead } from "../ports/journal.ts";
import type { Turn } from "../runtime/api.ts";
import { inert } from "../views/inert.ts";
import type { World } from "./world.ts";

export interface OverlapOptions {
  readonly queue?: true;
  readonly detach?: true;
}

/** What becomes of a run that finds another in its place: what the person says, else, where nobody sits there, what the blueprint says. */
export type Overlap = "refuse" | "queue" | "skip";

export function overlapOf({ queue, detach }: OverlapOptions, { concurrency }: Pick<Blueprint, "concurrency">): Overlap {
  if (queue === true) return "queue";
  if (detach !== true) return "refuse";
  return concurrency.overlap === "skip" ? "skip" : "queue";
}

/** A wait that says for whom, and at which place, each time that changes. */
export function turnIn(world: World, signal: AbortSignal): Turn {
  return { signal, ahead: (runs) => world.err.write(`waiting: ${inert(placeText(runs))}\n`) };
}

function placeText(ahead: readonly Ahead[]): string {
  const place = ahead.filter(({ waits }) => waits).length + 1;
  return `${ahead[0]?.what ?? "nobody"}; ${place === 1 ? "next in the queue" : `place ${place} in the queue`}`;
}
