import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody, RunFinished } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { NewRun } from "../../ports/journal.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { systemIds } from "../../runtime/ids.ts";
import { isSame } from "../../runtime/processes/identity.ts";
import { openJournal, type EmbeddedJournal, type EmbeddedOptions } from "./journal.ts";

/** A store in a folder of its own, with processes that live or die as a test says. */
export class StoreFixture {
  readonly home = mkdtempSync(join(tmpdir(), "trammel-store-"));
  readonly notices: string[] = [];
  readonly dead = new Set<number>();
  readonly #open: EmbeddedJournal[] = [];

  open(pid = 1, more: Partial<EmbeddedOptions> = {}): EmbeddedJournal {
    const journal = openJournal({
      home: this.home,
      clock: systemClock,
      ids: systemIds(systemClock),
      self: processOf(pid),
      isAlive: (process) => !this.dead.has(process.pid),
      isSame,
      notice: (what) => this.notices.push(what),
      ...more,
    });
    this.#open.push(journal);
    return journal;
  }

  async remove(): Promise<void> {
    for (const journal of this.#open) await journal.close().catch(() => undefined);
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function processOf(pid: number): ProcessIdentity {
  return { pid, startTime: `${pid}00`, bootId: "boot" };
}

export function newRun(run: string, more: Partial<NewRun> = {}): NewRun {
  const row = { run, blueprint: "loop", taskId: run, task: "mend it", startedAt: 1, cwd: "/work", definition: "d1" };
  return { ...row, owner: processOf(1), tree: null, key: null, ...more };
}

export const stopRequested: EventBody = { type: "run.stop_requested", by: "somebody" };

export function started(node: string, passes?: number): EventBody {
  const claim = { type: "node.started", node, pass: passes ?? 1, attempt: 1, step: 1, from: [] } as const;
  return passes === undefined ? claim : { ...claim, charged: { passes, cap: 3 } };
}

export function ended(node: string): EventBody {
  return { type: "node.ended", node, pass: 1, attempt: 1, result: { outcome: "success" } };
}

export function gateOpened(node: string): EventBody {
  return { type: "gate.opened", node, pass: 1, attempt: 1, mode: "approval", prompt: "Ship it?", digest: "d" };
}

export function finished(): RunFinished {
  const usage = { inputTokens: 0, outputTokens: 0, turns: 0 };
  return { type: "run.finished", status: "succeeded", walkedPast: [], usage };
}
