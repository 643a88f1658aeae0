import fc from "fast-check";
import { expect, test } from "vitest";
import type { Recorded } from "../../src/engine/recorded.ts";
import { recompute } from "../../src/engine/recompute.ts";
import { compile } from "../../src/graph/plan.ts";
import type { EventBody } from "../../src/model/events.ts";
import type { DrivenRun } from "./driver.ts";
import { drive } from "./driver.ts";
import { hazards } from "./worlds.ts";

function journalOf(run: DrivenRun): Recorded[] {
  return run.events.map((body, index) => ({ body, at: run.times[index] ?? 0 }));
}

const decided: ReadonlySet<EventBody["type"]> = new Set<EventBody["type"]>([
  "node.queued",
  "node.started",
  "node.skipped",
  "arrivals.superseded",
  "run.halting",
  "run.finished",
]);

test("a journal is what the engine makes of what came from the world, over deaths of the engine too", () => {
  const deaths = fc.constantFrom<(readonly [number, "again" | "failed"])[]>(
    [],
    [
      [2, "again"],
      [7, "failed"],
    ],
  );
  fc.assert(
    fc.property(hazards, deaths, ({ blueprint, world }, list) => {
      const run = drive(blueprint, world, { deaths: new Map(list) });
      expect(recompute(compile(blueprint), journalOf(run))).toBeNull();
    }),
    { numRuns: 1_500 },
  );
});

test("a decision that was left out is found", () => {
  fc.assert(
    fc.property(hazards, fc.nat(), ({ blueprint, world }, chance) => {
      const journal = journalOf(drive(blueprint, world));
      const places = [...journal.keys()].filter((index) => decided.has(journal[index]?.body.type ?? "run.started"));
      const gone = places[chance % places.length] ?? 0;
      // What came at the same time may have been one commit, and what was decided in between without consequence.
      fc.pre(journal[gone + 1]?.at !== journal[gone]?.at || decided.has(journal[gone + 1]?.body.type ?? "run.started"));
      const difference = recompute(compile(blueprint), journal.toSpliced(gone, 1));
      expect(difference?.index).toBeGreaterThanOrEqual(gone);
    }),
    { numRuns: 500 },
  );
});

test("an end that was changed is found", () => {
  fc.assert(
    fc.property(hazards, ({ blueprint, world }) => {
      const journal = journalOf(drive(blueprint, world));
      const changed = journal.map(({ body, at }): Recorded => {
        if (body.type !== "run.finished") return { body, at };
        return { body: { ...body, status: body.status === "succeeded" ? "failed" : "succeeded" }, at };
      });
      expect(recompute(compile(blueprint), changed)).toMatchObject({ index: journal.length - 1 });
    }),
    { numRuns: 300 },
  );
});
