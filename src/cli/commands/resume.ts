import { resolve } from "node:path";
import type { JournalEvent, RunHalting } from "../../model/events.ts";
import type { GateAnswered } from "../../model/gate-events.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { RunRow } from "../../ports/journal.ts";
import type { Refusal, Settlement } from "../../runtime/api.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { type OpenGate, openGates } from "../../views/open-gates.ts";
import { whatBecame } from "../asking/became.ts";
import { readDocument, type SourceDocument } from "../documents/document.ts";
import { drive, type DriveOptions, type TellRefusal } from "../running/drive.ts";
import { bind, boundBy, prepare, type Prepared, readConfig } from "../running/prepare.ts";
import { decidedInside } from "../inside.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { findRun, type KeptCalls, keptCalls, openStoreToRead } from "../store/stored-run.ts";
import type { World } from "../world.ts";

export interface ResumeOptions extends DriveOptions {
  readonly acceptChanges?: true;
}

/** What a run goes on with. */
export interface Decision {
  /** About a node at which it halted. */
  readonly settle?: Settlement;
  /** To a gate that waits; taken only if the gate still asks the same, and nobody's came first. */
  readonly answer?: GateAnswered;
  /** Instead of the command, which says only why it does not go on. */
  readonly tellRefusal?: TellRefusal;
}

/**
 * Goes on with a run; where that needs to know what became of an attempt,
 * it asks at the terminal and goes on from there.
 */
export async function resume(
  world: World,
  text: string,
  options: ResumeOptions,
  decision: Decision = {},
): Promise<number> {
  const asks = world.interactive && options.json !== true && options.detach !== true;
  let given = decision;
  for (;;) {
    const { exit, undecided } = await goOn(world, text, options, given, asks);
    if (!asks || undecided === null || (await decidedInside(world)) !== null) return exit;
    const settle = await whatBecame(world, text, undecided);
    if (settle === null) return exit;
    given = { settle };
  }
}

interface WentOn {
  readonly exit: number;
  /** The halt of a run that needs to know what became of an attempt. */
  readonly undecided: RunHalting | null;
}

async function goOn(
  world: World,
  text: string,
  options: ResumeOptions,
  { settle, answer, tellRefusal }: Decision,
  asks: boolean,
): Promise<WentOn> {
  const found = await readRun(world, text);
  if (typeof found === "number") return { exit: found, undecided: null };
  const { row, documents, history, look } = found;
  const halt = history.map(({ body }) => body).findLast((body) => body.type === "run.halting");
  if (asks && settle === undefined && row.status === "needs_attention")
    return { exit: exitCodes.escalated, undecided: halt ?? null };
  const refused = (exit: number): WentOn => ({ exit, undecided: null });
  const waits = row.status === "waiting" && openGates(history).some(isStillAsked);
  if (waits && !world.interactive && options.detach !== true) {
    const hint = "trammel inbox shows what it asks and how to answer; --detach goes on with what else there is.";
    return refused(report(world, usage(`run ${row.run} waits for a person and nobody can be asked here`, hint)));
  }
  const recording = recordingOf(world, options, history);
  if (isProblem(recording)) return refused(report(world, recording));
  const config = await readConfig(world, row.cwd);
  if (typeof config === "number") return refused(config);
  const prepared = await prepareFirst(world, documents, config, look);
  if (typeof prepared === "number") return refused(prepared);
  const request = {
    run: row.run,
    ...boundBy(prepared),
    acceptChanges: options.acceptChanges === true,
    ...(settle === undefined ? {} : { settle }),
  };
  const begin: Parameters<typeof drive>[4] = async ({ engine }, observer, { signal }) => {
    const started = await engine.resume({ ...request, ...(signal && { signal }) }, observer);
    if ("refused" in started) return withChanges(world, started, found, prepared);
    if (answer !== undefined) started.deliver(answer);
    return started;
  };
  const { exit, view } = await drive(world, prepared, row.cwd, recording, begin, history, tellRefusal);
  const isOpen = view?.status === "needs_attention";
  return { exit, undecided: isOpen ? view.halting : null };
}

/** Once its time is up nobody has to be asked: what happens then was said with it. */
function isStillAsked({ gate: { until = Infinity } }: OpenGate): boolean {
  return Date.now() < until;
}

/**
 * Its agents are recorded where they were from the beginning: what lies in
 * two folders would be no recording of the run.
 */
function recordingOf(
  { cwd }: World,
  options: ResumeOptions,
  [first]: readonly JournalEvent[],
): ResumeOptions | Problem {
  const folder = first?.body.type === "run.started" ? first.body.cassettes : undefined;
  if (folder === undefined) return options;
  if (options.record !== undefined && resolve(cwd, options.record) !== folder)
    return usage(`this run is recorded into ${folder}`, "Leave out --record: it goes on there.");
  return { ...options, record: folder };
}

/** A refusal for another version of the blueprint or its configuration, with what that changes. */
async function withChanges(
  { cwd }: World,
  refusal: Refusal,
  { documents, binding, look }: StoredRun,
  prepared: Prepared,
): Promise<Refusal> {
  const kept = documents.at(-1);
  if (refusal.refused !== "changed" || kept === undefined) return refusal;
  const { changesSince } = await import("../running/changed.ts");
  const { config } = prepared;
  const before = { document: kept, binding, config, look: { ...look, config, project: cwd, bind } };
  return { ...refusal, details: await changesSince(before, prepared) };
}

interface StoredRun {
  readonly row: RunRow;
  readonly history: readonly JournalEvent[];
  /** What to go on with: the file as it is now, so that a change is seen, then the definition that the run keeps. */
  readonly documents: readonly SourceDocument[];
  /** What configuration supplied, as text; null where that was not kept. */
  readonly binding: string | null;
  readonly look: KeptCalls;
}

async function readRun(world: World, text: string): Promise<StoredRun | number> {
  const journal = await openStoreToRead(world);
  try {
    const row = findRun(journal, text);
    if (isProblem(row)) return report(world, row);
    const history = [...journal.read(row.run)];
    const [first] = history;
    const started = first?.body.type === "run.started" ? first.body : undefined;
    const file = started?.file;
    const look = keptCalls(journal, history);
    const kept = journal.definition(row.definition);
    const now = file === undefined ? null : readDocument(file, row.cwd);
    const documents = [
      ...(now === null || isProblem(now) ? [] : [now]),
      ...(kept === null
        ? []
        : [{ name: `${row.blueprint} (as run ${row.run} keeps it)`, file: file ?? "", text: kept }]),
    ];
    const hash = bindingsOf(history.map(({ body }) => body)).at(-1)?.bound.bindingHash;
    const binding = hash === undefined ? null : journal.definition(hash);
    if (documents.length > 0) return { row, history, documents, binding, look };
    return report(world, usage(`the definition of run ${row.run} is gone, and so is its file`));
  } finally {
    await journal.close();
  }
}

/** The first document that checks. */
async function prepareFirst(
  world: World,
  documents: readonly SourceDocument[],
  config: Parameters<typeof prepare>[2],
  look: KeptCalls,
): Promise<Prepared | number> {
  let answer: Prepared | number = 0;
  for (const document of documents) {
    answer = await prepare(world, document, config, look);
    if (typeof answer !== "number") return answer;
  }
  return answer;
}
