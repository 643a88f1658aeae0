import type { Blueprint } from "../../model/blueprint.ts";

/** What becomes of a run that finds another in its place. */
export type Overlap = "refuse" | "queue" | "skip";

/**
 * What `concurrency.overlap` says for a run that nobody watches. One that a person starts is
 * refused, so that they can decide, unless they `asked` for the queue.
 */
export function overlapOf(
  { concurrency }: Pick<Blueprint, "concurrency">,
  { watched, asked }: { readonly watched: boolean; readonly asked: boolean },
): Overlap {
  if (asked) return "queue";
  if (watched) return "refuse";
  return concurrency.overlap === "skip" ? "skip" : "queue";
}
