import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isOver } from "../../model/outcome.ts";
import type { ReadableJournal } from "../../ports/journal.ts";
import { namesIn } from "../documents/files.ts";

/**
 * Removes sensitive inputs of runs that need them no more: a run that was killed before it began, or at its end, has
 * left them. `before` is milliseconds since the epoch: what is younger may be of a run that is about to begin.
 */
export function removeInputs(home: string, journal: Pick<ReadableJournal, "find" | "queued">, before: number): void {
  const folder = join(home, "secrets");
  const queued = new Set(journal.queued().map(({ run }) => run));
  for (const name of namesIn(folder)) {
    const run = /^(\w+)\.json(?:\.tmp)?$/.exec(name)?.[1];
    if (run === undefined || queued.has(run)) continue;
    const row = journal.find(run);
    if (row?.run === run && !isOver(row.status)) continue;
    const file = join(folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < before) rmSync(file, { force: true });
  }
}
