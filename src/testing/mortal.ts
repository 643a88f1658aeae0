import type { Journal } from "../ports/journal.ts";
import { watchedJournal } from "./journal.ts";

/** A moment in the life of an engine: right before or right after its n-th commit. */
export interface Boundary {
  readonly when: "before" | "after";
  /** From 1. */
  readonly commit: number;
}

/** A journal that counts the commits made through it, and calls `die` at a boundary. */
export class MortalJournal {
  commits = 0;
  readonly #at: Boundary | null;
  readonly #die: () => void;

  constructor(at: Boundary | null, die: () => void) {
    this.#at = at;
    this.#die = die;
  }

  around(journal: Journal): Journal {
    return watchedJournal(journal, async (commit) => {
      this.commits += 1;
      const mine = this.commits === this.#at?.commit;
      if (mine && this.#at?.when === "before") this.#die();
      const answer = await commit();
      if (mine && this.#at?.when === "after") this.#die();
      return answer;
    });
  }
}

/** Every boundary of a run that makes so many commits. */
export function boundariesOf(commits: number): readonly Boundary[] {
  return Array.from({ length: commits }, (_, index) => index + 1).flatMap((commit) => [
    { when: "before", commit } as const,
    { when: "after", commit } as const,
  ]);
}
