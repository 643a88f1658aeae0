import { createHash } from "node:crypto";
import type { JournalEvent } from "../../model/events.ts";
import type { HeadsMark } from "../../model/heads.ts";

/** Where the journal of a run ends: the number of its last event, and the hash of its last record. */
export type Head = Pick<JournalEvent, "run" | "seq" | "hash">;

/** Where the journals of the runs inside an attempt end. */
export class Heads {
  readonly #heads = new Map<string, Head>();

  /** Told of their events in order. */
  take({ run, seq, hash }: JournalEvent): void {
    this.#heads.set(run, { run, seq, hash });
  }

  mark(): HeadsMark {
    return markOf([...this.#heads.values()]);
  }
}

/** The same for the same runs in whatever order. */
export function markOf(heads: readonly Head[]): HeadsMark {
  const lines = heads.map(({ run, seq, hash }) => `${run} ${seq} ${hash}\n`).toSorted();
  return { runs: heads.length, digest: createHash("sha256").update(lines.join("")).digest("hex") };
}
