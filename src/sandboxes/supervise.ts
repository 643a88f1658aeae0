import { isReopenable, type RunStatus } from "../model/outcome.ts";
import type { RunFate, SandboxPool, SandboxVerdict } from "../ports/sandbox.ts";
import type { JournalReader } from "../ports/journal.ts";

/** What becomes of the boxes of a run that has this status and is executed by nobody. */
function fateOfStatus(status: RunStatus): Exclude<RunFate, "kept"> {
  const isLive = status === "running" || status === "waiting" || status === "interrupted";
  return isLive || isReopenable(status) ? "resumable" : "over";
}

/** As {@link fateOfStatus}, of a run that may be executed by somebody, or that no store knows. */
function verdictOfStatus(status: RunStatus | null): SandboxVerdict {
  if (status === null) return "over";
  return status === "running" || status === "waiting" ? "live" : fateOfStatus(status);
}

export interface Supervision {
  /** Told what a user should know. */
  readonly notice: (what: string) => void;
  /** Workspaces stay where a run is over. */
  readonly keep: boolean;
}

/** Ends the boxes of a run that is no longer executed, and of the runs inside it that are over with it. */
export function endBoxes(
  pool: Pick<SandboxPool, "release">,
  { notice, keep }: Supervision,
): (run: string, status: RunStatus, inside: readonly string[]) => Promise<void> {
  return async (run, status, inside) => {
    const fate = fateOfStatus(status);
    for (const one of [run, ...inside])
      for (const note of await pool.release(one, keep && fate === "over" ? "kept" : fate)) notice(note);
  };
}

/** What becomes of the boxes of a run of the journal: a run inside another is over with it. */
export function verdictIn(journal: Pick<JournalReader, "find">, run: string): SandboxVerdict {
  const row = journal.find(run);
  const own = verdictOfStatus(row?.status ?? null);
  if (own === "over" || row?.parent === undefined) return own;
  return verdictIn(journal, row.parent.run) === "over" ? "over" : own;
}

/** Whether a run is inside another, however deep. */
export function isInside(journal: Pick<JournalReader, "find">, run: string, around: string): boolean {
  const parent = journal.find(run)?.parent?.run;
  return parent !== undefined && (parent === around || isInside(journal, parent, around));
}
