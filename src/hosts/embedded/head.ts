import type { EventBody } from "../../model/events.ts";
import type { RunStatus } from "../../model/outcome.ts";
import type { RunRow } from "../../ports/journal.ts";
import type { Standing } from "../../runtime/memory/standing.ts";
import type { Account } from "./charges.ts";

/** Where a run that this process owns stands: what the next record is chained to, and what the list of runs says. */
export interface Head {
  readonly id: number;
  readonly run: string;
  readonly account: Account;
  seq: number;
  hash: string;
  status: RunStatus;
  /** False when another process has committed since ownership was last looked up. */
  verified: boolean;
  readonly standing: Standing;
  /** As it stood when it was taken over, until something is recorded. */
  before: Pick<RunRow, "status" | "reason" | "endedAt" | "owner"> | undefined;
}

export function statusAfter({ standing, status }: Head, body: EventBody): RunStatus {
  if (body.type === "run.finished") return body.status;
  if (!standing.take(body)) return status;
  return standing.waits ? "waiting" : "running";
}

/** What a run that keeps nothing but pauses waits for. */
export function pauseOf({ standing }: Head): string | null {
  const pause = standing.pause;
  if (pause === null) return null;
  return `${pause.node} waits for its provider until ${new Date(pause.until).toISOString()}`;
}
