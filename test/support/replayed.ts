import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readKept } from "../../src/cli/plugins/plugins.ts";
import { type DefinitionOf, type Replayed, replayAll } from "../../src/cli/store/replayed.ts";
import { bodyIn, mapsAround } from "../../src/cli/store/inner-runs.ts";
import { Trial } from "../../src/cli/store/tried.ts";
import { bindingsOf } from "../../src/views/bindings.ts";
import { isSameWay } from "../../src/views/what-if.ts";
import { recompute } from "../../src/engine/recompute.ts";
import { compile } from "../../src/graph/plan.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { Reader } from "../../src/hosts/embedded/reader.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { JournalEvent } from "../../src/model/events.ts";
import { type JournalReader, StoreUnavailable } from "../../src/ports/journal.ts";

/** Definitions as a store keeps them, with the plug-ins of the folders in which its runs worked. */
export function asKept(env: NodeJS.ProcessEnv = {}): (journal: JournalReader) => DefinitionOf {
  return (journal) => async (hash, row) => {
    const text = journal.definition(hash);
    return text === null ? null : readKept({ env }, row.cwd, text);
  };
}

/**
 * Runs of a store, those inside others too, whose journal is not what the engine makes again of what came from the
 * world, or whose definition cannot be had; one sentence each. A store that cannot be read has none.
 */
export async function unlikeReplay(
  home: string,
  definitions: (journal: JournalReader) => DefinitionOf = asKept(),
): Promise<readonly string[]> {
  const path = join(home, "trammel.db");
  if (!existsSync(path)) return [];
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    const reader = readerOf(db, path);
    const unlike: string[] = [];
    for (const row of reader.runs(1_000))
      for (const one of await replayAll(reader, row, definitions(reader))) {
        const problem = problemOf(one);
        if (problem !== null) unlike.push(problem);
        else if (!(await isTriedAlike(reader, home, one.run, definitions(reader))))
          unlike.push(`${one.run} goes another way when it is played to the blueprint that it had`);
      }
    return unlike;
  } catch (error) {
    if (error instanceof StoreUnavailable || isSqlite(error)) return [];
    throw error;
  } finally {
    db?.close();
  }
}

/** Whether what a run had is what it is told to have had, were it played to that. One that had several is left out. */
async function isTriedAlike(
  reader: JournalReader,
  home: string,
  run: string,
  definitionOf: DefinitionOf,
): Promise<boolean> {
  const row = reader.find(run);
  const bodies = [...reader.read(run)].map(({ body }) => body);
  const [only, ...more] = bindingsOf(bodies);
  if (row === null || only === undefined || more.length > 0) return true;
  const around = await definitionOf(only.bound.contentHash, row);
  const blueprint = around === null ? null : bodyIn(around, mapsAround(reader, row));
  const tried =
    blueprint === null
      ? null
      : await new Trial(reader, fileBlobs(join(home, "blobs")), definitionOf, new Map()).of(row, blueprint);
  if (tried === null) return false;
  return isSameWay(tried.seen) && tried.seen.assumed.length === 0 && tried.inside.length === 0;
}

function readerOf(db: DatabaseSync, path: string): JournalReader {
  const reader = new Reader(db, path, () => undefined);
  return {
    read: (run, after = 0) => reader.read(run, after),
    records: (run) => reader.records(run),
    runs: (limit, inside = null, which = "all") => reader.runs(limit, inside, which),
    find: (run) => reader.find(run),
    definition: (hash) => reader.definition(hash),
    passes: (taskId, blueprint) => reader.passes(taskId, blueprint),
  };
}

function problemOf({ run, path, difference, unread }: Replayed): string | null {
  const name = `${run}${path === "" ? "" : ` (${path})`}`;
  if (unread !== undefined) return `${name} cannot be replayed: its definition at event ${unread + 1} cannot be had`;
  if (difference === null) return null;
  const { seq, recorded, recomputed } = difference;
  return `${name} is not what replaying it gives: event ${seq} is ${JSON.stringify(recorded)}, not ${JSON.stringify(recomputed)}`;
}

/** Where a journal differs from its replay, null where it does not. */
export function differenceIn(blueprint: Blueprint, events: readonly JournalEvent[]): string | null {
  const difference = recompute(compile(blueprint), events);
  if (difference === null) return null;
  const { index, recorded, recomputed } = difference;
  return `event ${index + 1} is ${JSON.stringify(recorded)}, not ${JSON.stringify(recomputed)}`;
}

function isSqlite(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
