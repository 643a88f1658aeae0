import { limits } from "../../model/limits.ts";
import type { CalleePins } from "../../model/bound.ts";
import type { JournalEvent } from "../../model/events.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { Journal, JournalReader, Queued, ReadableJournal, RemovedRun, RunRow } from "../../ports/journal.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { emptyView, fold } from "../../views/fold.ts";
import type { RunView } from "../../views/run-view.ts";
import type { LookUp } from "../documents/callees.ts";
import { dataHome } from "./home.ts";
import { blueprintOf } from "./inner-runs.ts";
import { isProblem, type Problem, report } from "../problem.ts";
import { escaped } from "../../views/inert.ts";
import type { World } from "../world.ts";

/** The store of this user. Throws StoreUnavailable. */
export async function openStore(world: World): Promise<Journal> {
  const { openJournal } = await world.compose();
  return openJournal(dataHome(world.env, world.cwd), (notice) => world.err.write(`${escaped(notice)}\n`));
}

/** As {@link openStore}, for commands that write nothing: a store on a read-only disk will do. */
export async function openStoreToRead(world: World): Promise<ReadableJournal> {
  const { openReader } = await world.compose();
  return openReader(dataHome(world.env, world.cwd), (notice) => world.err.write(`${escaped(notice)}\n`));
}

/** Has a command work on the store, opened to be read, and closes it whatever becomes of the command. */
export async function reading(world: World, act: (journal: ReadableJournal) => Promise<number>): Promise<number> {
  const journal = await openStoreToRead(world);
  try {
    return await act(journal);
  } finally {
    await journal.close();
  }
}

/** As {@link reading}, of the run that the text names; where there is none, that is reported. */
export function readingRun(
  world: World,
  text: string,
  act: (row: RunRow, journal: ReadableJournal) => Promise<number>,
): Promise<number> {
  return reading(world, async (journal) => {
    const row = findRun(journal, text);
    return isProblem(row) ? report(world, row) : act(row, journal);
  });
}

/**
 * Why there is no run that the text names, asked before the store is opened to write: where there is none, none is
 * made. One that waits in the queue is there.
 */
export async function missingRun(world: World, text: string): Promise<Problem | null> {
  const journal = await openStoreToRead(world);
  try {
    const row = findRun(journal, text);
    return isProblem(row) && !("queued" in row) ? row : null;
  } finally {
    await journal.close();
  }
}

/** What is said of a run to be that waits for its turn. */
export interface NotBegun extends Problem {
  readonly queued: Queued;
}

/** The run that the text names, or why there is none. */
export function findRun(journal: ReadableJournal, text: string): RunRow | Problem | NotBegun {
  // As an unset variable of a script gives it; every id begins with it.
  if (text === "")
    return { exit: exitCodes.usage, message: "the id of the run is empty", hint: "trammel runs lists them." };
  const row = journal.find(text);
  if (row !== null) return row;
  const alike = journal.runs(limits.runsListed).filter((one) => one.run.startsWith(text));
  if (alike.length > 1) return severalOf(text, alike);
  const removed = journal.removed(text);
  if (removed !== null) return pruned(removed);
  const queued = journal.queued().filter(({ run }) => run.startsWith(text));
  const [waits] = queued;
  if (waits !== undefined) return queued.length > 1 ? severalOf(text, queued) : notBegun(waits);
  return { exit: exitCodes.usage, message: `there is no run ${text}`, hint: "trammel runs lists them." };
}

function severalOf(text: string, runs: readonly { readonly run: string }[]): Problem {
  const named = runs.slice(0, limits.runsNamed).map(({ run }) => run);
  return {
    exit: exitCodes.usage,
    message: `${text} is the beginning of several runs`,
    hint: `Say more of it: ${named.join(", ")}`,
  };
}

function notBegun(queued: Queued): NotBegun {
  const { run } = queued;
  const message = `run ${run} has not begun: it waits in the queue`;
  const hint = `trammel runs says for what; trammel stop ${run} lets it go: nothing of it has happened.`;
  return { exit: exitCodes.usage, message, hint, queued };
}

function pruned({ run, status, at }: RemovedRun): Problem {
  return {
    exit: exitCodes.usage,
    message: `run ${run} (${status}) is not in the history any more: trammel prune removed it at ${new Date(at).toISOString()}`,
    hint: "Nothing of it can be shown; retention.history in the configuration says how long runs are kept.",
  };
}

/** What the journal tells of a run; drawn with the definition that run used, and without a graph where that is gone. */
export async function viewOf(world: Pick<World, "env">, journal: JournalReader, row: RunRow): Promise<RunView> {
  const blueprint = await blueprintOf(world, journal, row);
  const view = emptyView(row.run, blueprint);
  for (const event of journal.read(row.run)) fold(view, event);
  // Only the store knows that the owner of a run is gone.
  view.status = row.status;
  view.reason = row.reason ?? view.reason;
  return view;
}

/** What a run began with of what it calls, or last went on with: it goes on with that, whatever became of the files. */
export type KeptCalls = Pick<LookUp, "kept">;

export function keptCalls(journal: JournalReader, events: readonly JournalEvent[]): KeptCalls {
  const calls = bindingsOf(events.map(({ body }) => body)).at(-1)?.bound.calls;
  if (calls === undefined) return {};
  const documents = new Map<string, string>();
  const add = (pins: CalleePins): void => {
    for (const { hash, calls: inner } of Object.values(pins)) {
      const text = journal.definition(hash);
      if (text !== null) documents.set(hash, text);
      if (inner !== undefined) add(inner);
    }
  };
  add(calls);
  return { kept: { calls, documents } };
}
