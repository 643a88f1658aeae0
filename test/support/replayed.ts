import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { check } from "../../src/check/check.ts";
import { recompute } from "../../src/engine/recompute.ts";
import { compile } from "../../src/graph/plan.ts";
import { Reader } from "../../src/hosts/embedded/reader.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { JournalEvent } from "../../src/model/events.ts";
import { StoreUnavailable } from "../../src/ports/journal.ts";

/** The blueprint that a part of a run was carried out with, as the engine knew it; null where it cannot be had again. */
type BlueprintOf = (run: string, contentHash: string, document: string | null) => Blueprint | null;

const asKept: BlueprintOf = (_run, _hash, document) => (document === null ? null : check(document, {}).blueprint);

/**
 * Runs of a store whose journal is not what the engine makes again of what came from the world, one sentence each. Runs inside runs are
 * left out: what they are bound to is theirs alone. A store that cannot be read has none.
 */
export function unlikeReplay(home: string, blueprintOf: BlueprintOf = asKept): readonly string[] {
  const path = join(home, "trammel.db");
  if (!existsSync(path)) return [];
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    const reader = new Reader(db, path, () => undefined);
    return reader.runs(1_000, null).flatMap(({ run }) => {
      const events = [...reader.read(run, 0)];
      const unlike = partsOf(events).map(({ hash, from, to }) => {
        const blueprint = blueprintOf(run, hash, reader.definition(hash));
        return blueprint === null ? null : differenceIn(blueprint, events.slice(0, to), from);
      });
      const difference = unlike.find((one) => one !== null);
      return difference === undefined ? [] : [`${run} is not what replaying it gives: ${difference}`];
    });
  } catch (error) {
    if (error instanceof StoreUnavailable || isSqlite(error)) return [];
    throw error;
  } finally {
    db?.close();
  }
}

/** A run goes on with another blueprint from where a person accepted it. */
function partsOf(events: readonly JournalEvent[]): readonly { hash: string; from: number; to: number }[] {
  const begins = events.flatMap(({ body }, from) => {
    if (body.type === "run.started") return [{ hash: body.contentHash, from }];
    return body.type === "run.resumed" && body.accepted !== undefined
      ? [{ hash: body.accepted.contentHash, from }]
      : [];
  });
  return begins.map((begin, i) => ({ ...begin, to: begins[i + 1]?.from ?? events.length }));
}

/** Where a journal differs from its replay, null where it does not. What stands before `from` is taken as it is. */
export function differenceIn(blueprint: Blueprint, events: readonly JournalEvent[], from = 0): string | null {
  const difference = recompute(compile(blueprint), events, from);
  if (difference === null) return null;
  const { index, recorded, recomputed } = difference;
  return `event ${index + 1} is ${JSON.stringify(recorded)}, not ${JSON.stringify(recomputed)}`;
}

function isSqlite(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
