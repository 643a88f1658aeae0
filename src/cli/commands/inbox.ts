import { limits } from "../../model/limits.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { RunHalting } from "../../model/events.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { decisionText } from "../../views/decision.ts";
import { inertLine } from "../../views/inert.ts";
import { shellWord } from "../../model/shell.ts";
import type { Inbox } from "../../wire/inbox.ts";
import { insideOf, segmentOf, waitingGates } from "../store/inner-runs.ts";
import { instant } from "../report.ts";
import { reading } from "../store/stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

/**
 * Lists everything that waits for a person. Gates: the run that waits longest first, and in a
 * run by name, for what waits side by side has no order. Then what halted until somebody decides:
 * inside a run that waits, and of the runs that `trammel runs` lists, the latest first. Then runs
 * whose process is gone.
 */
export function inbox(world: World, options: { readonly json?: true }): Promise<number> {
  return reading(world, async (journal) => {
    const waiting = waitingRuns(journal);
    const halted = haltedRuns(journal);
    const decisions = halted.map(({ decision }) => decision);
    const interrupted = interruptedRuns(journal);
    if (options.json === true) world.out.write(jsonLine({ waiting, decisions, interrupted } satisfies Inbox));
    else print(world, waiting, halted, interrupted);
    return exitCodes.ok;
  });
}

/** Nothing goes on with them by itself. */
function interruptedRuns(journal: JournalReader): Inbox["interrupted"] {
  return journal
    .runs(limits.runsInInbox, null, "live")
    .filter(({ status }) => status === "interrupted")
    .map(({ run, blueprint, startedAt }) => ({ run, blueprint, startedAt: instant(startedAt) }));
}

function liveRuns(journal: JournalReader): readonly RunRow[] {
  return journal
    .runs(limits.runsInInbox, null, "live")
    .filter(({ status }) => status === "waiting" || status === "running");
}

function waitingRuns(journal: JournalReader): Inbox["waiting"] {
  const waiting = liveRuns(journal)
    .map((row) => ({ row, gates: waitingGates(journal, row) }))
    .filter(({ gates }) => gates.length > 0);
  const oldest = (gates: ReturnType<typeof waitingGates>): number => Math.min(...gates.map(({ since }) => since));
  return waiting
    .toSorted((a, b) => oldest(a.gates) - oldest(b.gates))
    .flatMap(({ row, gates }) =>
      gates
        .toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }))
        .map(({ gate, since, path }) => ({
          run: row.run,
          blueprint: row.blueprint,
          node: path,
          mode: gate.mode,
          prompt: gate.prompt,
          since: instant(since),
          ...(gate.until === undefined ? {} : { until: instant(gate.until) }),
        })),
    );
}

function print(
  world: World,
  waiting: Inbox["waiting"],
  halted: readonly Halted[],
  interrupted: Inbox["interrupted"],
): void {
  const now = instant(Date.now());
  const texts = [
    ...waiting.map((one) => waitingText(one, now)),
    ...halted.map(haltedText),
    ...interrupted.map(interruptedText),
  ];
  world.out.write(texts.join(""));
  if (waiting.length > 0)
    world.err.write("what a question shows, and what may be answered, is told by: trammel show RUN\n");
  else if (texts.length === 0) world.err.write("nothing waits for a person\n");
}

function waitingText(one: Inbox["waiting"][number], now: string): string {
  const answer = `trammel answer ${one.run} ${shellWord(one.node)} ${placeholder[one.mode]}`;
  return `${one.run}  ${one.node}: ${inertLine(one.prompt)}\n  ${late(one, now) ?? answer}\n`;
}

function interruptedText({ run, blueprint }: Inbox["interrupted"][number]): string {
  return `${run}  ${blueprint}: interrupted\n  Go on with it: trammel resume ${run}; or end it: trammel stop ${run}\n`;
}

interface Halted {
  readonly decision: Inbox["decisions"][number];
  readonly halting: RunHalting;
}

function haltedRuns(journal: JournalReader): readonly Halted[] {
  const inside = liveRuns(journal).flatMap((row) => (row.status === "waiting" ? haltedInside(journal, row) : []));
  return [...inside, ...journal.runs(limits.runsListed, null).flatMap((row) => haltedAt(journal, row) ?? [])];
}

/** What halted inside a run that still waits for something else in there, told as of the run that goes on. */
function haltedInside(journal: JournalReader, row: RunRow, top = row, prefix = ""): readonly Halted[] {
  const inside = insideOf(journal, row);
  if (inside.length === 0) return [];
  const passes = passesAtWork(journal, row);
  return inside.flatMap((child): readonly Halted[] => {
    if (child.parent === undefined || passes.get(child.parent.node) !== child.parent.pass) return [];
    const path = `${prefix}${segmentOf(child)}/`;
    if (child.endedAt === null) return haltedInside(journal, child, top, path);
    const halted = haltedAt(journal, child);
    if (halted === null) return [];
    const { decision, halting } = halted;
    const node = `${path}${decision.node}`;
    return [{ decision: { ...decision, run: top.run, blueprint: top.blueprint, node }, halting: { ...halting, node } }];
  });
}

/** The pass of each node that has begun and not ended. */
function passesAtWork(journal: JournalReader, { run }: RunRow): ReadonlyMap<string, number> {
  const passes = new Map<string, number>();
  for (const { body } of journal.read(run)) {
    if (body.type === "node.started") passes.set(body.node, body.pass);
    else if (body.type === "node.ended") passes.delete(body.node);
  }
  return passes;
}

function haltedAt(journal: JournalReader, { run, blueprint, status, endedAt }: RunRow): Halted | null {
  if (endedAt === null) return null;
  if (status !== "needs_attention" && status !== "escalated" && status !== "limit") return null;
  let halting: RunHalting | null = null;
  for (const { body } of journal.read(run)) if (body.type === "run.halting") halting = body;
  if (halting?.node === undefined) return null;
  const { node, reason } = halting;
  return { decision: { run, blueprint, status, node, reason: reason.text, since: instant(endedAt) }, halting };
}

function haltedText({ decision: { run, status, node, reason }, halting }: Halted): string {
  const why = inertLine(reason);
  return `${run}  ${node}: ${status}, ${why}\n${decisionText(run, status, halting).join("\n")}\n`;
}

const placeholder = { approval: "yes|no", input: "TEXT", choice: "OPTION", form: `'{"field": …}'` } as const;

/**
 * Nobody executes a parked run, so that its time passes unnoticed, and no answer is taken any more; times in ISO 8601.
 */
function late({ run, until }: Inbox["waiting"][number], now: string): string | null {
  if (until === undefined || until > now) return null;
  return `its time was up at ${until}: trammel resume ${run} --detach goes on without an answer`;
}
