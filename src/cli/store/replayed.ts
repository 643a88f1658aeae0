import { type Difference, recompute } from "../../engine/recompute.ts";
import { compile, type Plan } from "../../graph/plan.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalEvent } from "../../model/events.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { bodyIn, insideOf, mapsAround, segmentOf } from "./inner-runs.ts";

/** A run, or one inside it, as what came from the world makes it once more. */
export interface Replayed {
  readonly run: string;
  /** From the run that was asked for, which has none: `call`, `call/map[2]`. */
  readonly path: string;
  readonly events: number;
  /** `seq` is the number of the event in the journal. */
  readonly difference: (Omit<Difference, "index"> & { readonly seq: number }) | null;
  /**
   * Place of the first event that was led to by a definition which cannot be had
   * any more; nothing from there on was recomputed.
   */
  readonly unread?: number;
}

/** What a content hash stands for in a run, the maps around it not yet gone into; null where it cannot be had. */
export type DefinitionOf = (hash: string, row: RunRow) => Promise<Blueprint | null>;

/** Recomputes a run and then all runs inside it, each after the one around it, in the order in which they began. */
export function replayAll(
  journal: JournalReader,
  row: RunRow,
  definitionOf: DefinitionOf,
): Promise<readonly Replayed[]> {
  return new Replay(journal, definitionOf).from(row, "");
}

class Replay {
  readonly #journal: JournalReader;
  readonly #definitionOf: DefinitionOf;
  /** By definition and way into it: the items of a map share theirs. */
  readonly #plans = new Map<string, Plan | null>();

  constructor(journal: JournalReader, definitionOf: DefinitionOf) {
    this.#journal = journal;
    this.#definitionOf = definitionOf;
  }

  async from(row: RunRow, path: string): Promise<readonly Replayed[]> {
    const all: Replayed[] = [{ run: row.run, path, ...(await this.#one(row)) }];
    for (const child of insideOf(this.#journal, row)) {
      const inside = await this.from(child, `${path}${path === "" ? "" : "/"}${segmentOf(child)}`);
      for (const one of inside) all.push(one);
    }
    return all;
  }

  async #one(row: RunRow): Promise<Omit<Replayed, "run" | "path">> {
    const events = [...this.#journal.read(row.run)];
    const parts = bindingsOf(events.map(({ body }) => body));
    for (const { from, to, bound } of parts) {
      const plan = await this.#plan(bound.contentHash, row);
      if (plan === null) return { events: events.length, difference: null, unread: from };
      const difference = recompute(plan, events.slice(0, to), from === 0 ? takenOver(events) : from);
      if (difference === null) continue;
      const { index, recorded, recomputed } = difference;
      return { events: events.length, difference: { seq: events[index]?.seq ?? index + 1, recorded, recomputed } };
    }
    return { events: events.length, difference: null };
  }

  async #plan(hash: string, row: RunRow): Promise<Plan | null> {
    const maps = mapsAround(this.#journal, row);
    const key = JSON.stringify([hash, maps]);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const around = await this.#definitionOf(hash, row);
    const blueprint = around === null ? null : bodyIn(around, maps);
    const plan = blueprint === null ? null : compile(blueprint);
    this.#plans.set(key, plan);
    return plan;
  }
}

/**
 * Where the own way of a fork begins, 0 for any other run: what it took over was
 * decided in another run, maybe under other bounds.
 */
function takenOver(events: readonly JournalEvent[]): number {
  const [first] = events;
  if (first?.body.type !== "run.started" || first.body.fork === undefined) return 0;
  return Math.max(
    0,
    events.findLastIndex(({ hash, body }) => hash === first.hash && body.type === "run.resumed"),
  );
}
