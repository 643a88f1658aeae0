import type { JournalEvent, ParentLink } from "../model/events.ts";
import type { Queued, RunRow } from "../ports/journal.ts";
import type { AttemptView, RunView } from "../views/run-view.ts";
import type { AskedGate } from "./store/inner-runs.ts";
import { jsonLine } from "./json.ts";
import { queuePlace } from "./queue.ts";
import type { AttemptReport, RunList, RunReport } from "../wire/run-report.ts";

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** When a run that waits goes on by itself, or null. */
export function wakesAt({ status, asleep }: RunView): string | null {
  return status === "waiting" && asleep.size > 0 ? instant(Math.min(...asleep.values())) : null;
}

/** The document of `show --json`; `limits` are those of the view as a blueprint says them. */
export function runReport(
  view: RunView,
  limits: RunReport["limits"],
  inside: readonly RunRow[],
  waiting: readonly AskedGate[],
): RunReport {
  const { inputTokens, outputTokens, turns, cost, currency = "USD", estimated = false } = view.usage;
  const money = cost === undefined ? { cost: null, currency: null } : { cost, currency };
  return {
    run: view.run,
    blueprint: view.blueprint,
    task: view.task,
    taskId: view.taskId,
    status: view.status,
    reason: view.reason,
    walkedPast: [...view.walkedPast],
    startedAt: instant(view.startedAt),
    endedAt: view.endedAt === null ? null : instant(view.endedAt),
    limits,
    wakesAt: wakesAt(view),
    usage: { inputTokens, outputTokens, turns, ...money, estimated },
    nodes: [...view.nodes.values()].map((node) => ({
      id: node.id,
      type: node.type,
      class: node.class,
      state: node.state,
      passes: node.passes,
      attempts: node.attempts.map(attemptReport),
    })),
    evidence: [...(view.halting?.failures ?? [])],
    inside: inside.flatMap(({ run, status, reason, parent }) =>
      parent === undefined
        ? []
        : [{ run, node: parent.node, pass: parent.pass, item: parent.item ?? null, status, reason }],
    ),
    waiting: waiting.map(({ path, gate, shown, choices, since }) => ({
      node: path,
      mode: gate.mode,
      prompt: gate.prompt,
      shown: [...shown],
      choices: [...choices],
      since: instant(since),
    })),
  };
}

function attemptReport(attempt: AttemptView): AttemptReport {
  return {
    n: attempt.n,
    pass: attempt.pass,
    outcome: attempt.outcome,
    reason: attempt.reason?.text ?? null,
    startedAt: attempt.startedAt === 0 ? null : instant(attempt.startedAt),
    endedAt: attempt.endedAt === null ? null : instant(attempt.endedAt),
    output: attempt.output,
    outputBytes: attempt.outputBytes,
    context: { bundle: attempt.bundle, outside: attempt.outside, refused: attempt.refused },
    answers: attempt.answers.map(({ gate, by, at, answer }) => ({ gate, by, at: instant(at), answer })),
  };
}

/** The document of `runs --json`. */
export function runList(rows: readonly RunRow[], queued: readonly Queued[]): RunList {
  return {
    queued: queued.map(({ run, blueprint, ahead }) => ({
      run,
      blueprint,
      place: queuePlace(ahead),
      waitsFor: ahead[0]?.what ?? null,
    })),
    runs: rows.map((row) => ({
      run: row.run,
      blueprint: row.blueprint,
      task: row.task,
      status: row.status,
      reason: row.reason,
      startedAt: instant(row.startedAt),
      endedAt: row.endedAt === null ? null : instant(row.endedAt),
      parent: row.parent === undefined ? null : placeOf(row.parent),
    })),
  };
}

function placeOf({ run, node, pass, item }: ParentLink): NonNullable<RunList["runs"][number]["parent"]> {
  return { run, node, pass, item: item ?? null };
}

/** One event as a line of JSON. */
export function eventLine(event: JournalEvent): string {
  const { type, ...rest } = event.body;
  return jsonLine({ type, run: event.run, seq: event.seq, at: instant(event.at), ...rest });
}
