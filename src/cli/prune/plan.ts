import type { RetentionConfig } from "../../config/config.ts";
import { limits } from "../../model/limits.ts";

/** A run as retention sees it. */
export interface PastRun {
  readonly run: string;
  /** When it was over for good; null while it may go on, and then it is kept whole. */
  readonly overAt: number | null;
  /** Of its full outputs and patches. */
  readonly bytes: number;
}

export interface PrunePlan {
  /** Runs that leave the journal. */
  readonly history: readonly string[];
  /** Runs that stay there, and lose their full outputs and patches. */
  readonly outputs: readonly string[];
}

/** What is no longer kept of runs, newest first, at a time in milliseconds since the epoch. */
export function prunePlan(runs: readonly PastRun[], retention: RetentionConfig, now: number): PrunePlan {
  const { runs: outputs = defaults, history = limits.historyKeptDefaultMs } = retention;
  const gone: string[] = [];
  const bare: string[] = [];
  let bytes = 0;
  for (const { run, overAt, bytes: own } of runs) {
    const age = overAt === null ? -1 : now - overAt;
    if (age > history) gone.push(run);
    else if (
      overAt !== null &&
      own > 0 &&
      (age > (outputs.ageMs ?? Infinity) || bytes + own > (outputs.bytes ?? Infinity))
    )
      bare.push(run);
    else bytes += own;
  }
  return { history: gone, outputs: bare };
}

const defaults = { ageMs: limits.outputsKeptDefaultMs, bytes: limits.outputsKeptDefaultBytes };
