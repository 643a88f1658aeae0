import type { Blueprint } from "../model/blueprint.ts";
import type { Ahead } from "../ports/journal.ts";
import type { Turn } from "../runtime/api.ts";
import { type Overlap, overlapOf } from "../runtime/lifecycle/overlap.ts";
import { escaped } from "../views/inert.ts";
import type { World } from "./world.ts";

export interface OverlapOptions {
  readonly queue?: true;
  readonly detach?: true;
}

export function overlapIn({ queue, detach }: OverlapOptions, blueprint: Blueprint): Overlap {
  return overlapOf(blueprint, { watched: detach !== true, asked: queue === true });
}

/** A wait that says for whom, and at which place, each time that changes. */
export function turnIn(world: World, signal: AbortSignal): Turn {
  return { signal, ahead: (runs) => world.err.write(`waiting: ${escaped(placeText(runs))}\n`) };
}

/** From 1, among those that wait for the same. */
export function queuePlace(ahead: readonly Ahead[]): number {
  return ahead.filter(({ waits }) => waits).length + 1;
}

export function placeText(ahead: readonly Ahead[]): string {
  const place = queuePlace(ahead);
  return `${ahead[0]?.what ?? "nobody"}; ${place === 1 ? "next in the queue" : `place ${place} in the queue`}`;
}
