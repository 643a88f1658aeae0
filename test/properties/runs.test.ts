import fc from "fast-check";
import { expect, test } from "vitest";
import { snapshot } from "../../src/engine/snapshot.ts";
import type { Node } from "../../src/model/node.ts";
import { exitCodeOf } from "../../src/model/outcome.ts";
import type { DrivenRun } from "./driver.ts";
import { drive, replay } from "./driver.ts";
import { blueprintOf } from "./graphs.ts";
import { tell } from "./oracle.ts";
import { Graph } from "./oracle-graph.ts";
import { pick, samples, worldOf } from "./streams.ts";
import type { Hazard } from "./worlds.ts";
import { hazards } from "./worlds.ts";

const runs = { numRuns: 1_500 };

function forEveryHazard(check: (run: DrivenRun, hazard: Hazard) => void): void {
  fc.assert(
    fc.property(hazards, (hazard) => check(drive(hazard.blueprint, hazard.world), hazard)),
    runs,
  );
}

test("every run ends, once, and nothing follows", () => {
  forEveryHazard((run) => {
    expect(run.end).not.toBeNull();
    expect(run.events.at(-1)?.type).toBe("run.finished");
    expect(run.events.filter(({ type }) => type === "run.finished")).toHaveLength(1);
    expect(exitCodeOf(run.end?.status ?? "running")).toBeTypeOf("number");
  });
});

test("no node runs twice at once, and every claim has one outcome", () => {
  forEveryHazard((run) => {
    const open = new Set<string>();
    const faults: string[] = [];
    for (const event of run.events) {
      if (event.type === "node.started") {
        if (open.has(event.node)) faults.push(`${event.node} started while it runs`);
        open.add(event.node);
      } else if (event.type === "node.retrying" || (event.type === "node.ended" && event.result.outcome !== "error")) {
        if (!open.delete(event.node)) faults.push(`${event.node} ended without running`);
      } else if (event.type === "node.ended") {
        // An error that waited for its retry when the run halted.
        open.delete(event.node);
      } else if (event.type === "node.unconfirmed") {
        // What only waited when the run halted.
        if (run.commands.some((command) => command.type === "suspend" && command.node === event.node))
          open.delete(event.node);
      }
    }
    expect([...faults, ...open]).toEqual([]);
  });
});

test("limits hold to the last start", () => {
  forEveryHazard((run, { blueprint }) => {
    const { steps = 0, parallel = 0 } = blueprint.limits;
    expect(sum(run.counts)).toBeLessThanOrEqual(steps);
    const over = [...blueprint.nodes].filter(([id, node]) => (run.counts[id] ?? 0) > capOf(node));
    expect(over).toEqual([]);
    const working = new Set<string>();
    let most = 0;
    for (const event of run.events) {
      // A node that waits for its retry keeps its place, until a join that goes on without it skips it.
      if (event.type === "node.ended" || event.type === "node.skipped") working.delete(event.node);
      else if (event.type === "node.started" && blueprint.nodes.get(event.node)?.type !== "human")
        working.add(event.node);
      most = Math.max(most, working.size);
    }
    expect(most).toBeLessThanOrEqual(parallel);
  });
});

test("a cap or the limit of steps strikes only when the start beyond it is due", () => {
  forEveryHazard((run, { blueprint }) => {
    const struck = run.events.flatMap((event) => {
      const node = event.type === "run.halting" ? blueprint.nodes.get(event.node ?? "") : undefined;
      if (event.type !== "run.halting" || node === undefined || event.reason.code !== "cap") return [];
      return [{ id: node.id, starts: run.counts[node.id], cap: capOf(node), ...event.iteration }];
    });
    expect(struck).toEqual(struck.map(({ id, cap }) => ({ id, starts: cap, cap, n: cap, max: cap })));
    const steps = run.end?.reason?.includes("limits.steps") === true ? blueprint.limits.steps : sum(run.counts);
    expect(sum(run.counts)).toBe(steps);
  });
});

test("nothing starts once the run halts", () => {
  forEveryHazard((run) => {
    const halted = run.events.findIndex(({ type }) => type === "run.halting");
    if (halted < 0) return;
    expect(run.events.slice(halted).filter(({ type }) => type === "node.started" || type === "node.queued")).toEqual(
      [],
    );
  });
});

test("the journal alone gives the same state, and a run made anew before every step goes the same way", () => {
  forEveryHazard((run, { blueprint, world }) => {
    expect(snapshot(replay(blueprint, run))).toEqual(snapshot(run.state));
    expect(drive(blueprint, world, { rebuild: true }).events).toEqual(run.events);
  });
});

test("a run whose engine dies again and again ends too, keeps its limits, and starts no attempt twice", () => {
  const deaths = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom("done", "failed", "again")), {
    selector: ([tick]) => tick,
    maxLength: 4,
  });
  fc.assert(
    fc.property(hazards, deaths, ({ blueprint, world }, list) => {
      const run = drive(blueprint, world, { deaths: new Map(list) });
      expect(run.end).not.toBeNull();
      const claims = run.events.flatMap((event) =>
        event.type === "node.started" ? [`${event.node}#${event.pass}.${event.attempt}`] : [],
      );
      expect(new Set(claims).size).toBe(claims.length);
      expect(sum(run.counts)).toBeLessThanOrEqual(blueprint.limits.steps ?? 0);
      expect([...blueprint.nodes].filter(([id, node]) => (run.counts[id] ?? 0) > capOf(node))).toEqual([]);
      expect(snapshot(replay(blueprint, run))).toEqual(snapshot(run.state));
    }),
    runs,
  );
});

test("the order of keys and edges changes nothing", () => {
  fc.assert(
    fc.property(hazards, fc.infiniteStream(fc.nat()), ({ blueprint, world }, chance) => {
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((item) => ({ item, place: chance.next().value ?? 0 }))
          .sort((a, b) => a.place - b.place)
          .map(({ item }) => item);
      const other = { ...blueprint, nodes: new Map(shuffled([...blueprint.nodes])), edges: shuffled(blueprint.edges) };
      expect(drive(other, world).events).toEqual(drive(blueprint, world).events);
    }),
    runs,
  );
});

test("limits.parallel only makes nodes take longer: starts are those of the plain rule with the times they then took", () => {
  fc.assert(
    fc.property(samples(10), fc.constantFrom(1, 2, 3), (sample, parallel) => {
      const run = drive(blueprintOf(sample.ids, sample.edges, { limits: { parallel, steps: 400 } }), worldOf(sample));
      const took = turnarounds(run);
      const told = tell(
        new Graph(sample.ids, sample.edges, sample.ids[0] ?? ""),
        {
          outcome: (node, pass) => pick(sample.outcomes[node] ?? [], pass),
          ticks: (node, pass) => took.get(`${node}#${pass}`) ?? 1,
        },
        400,
      );
      expect(run.counts).toEqual(told.counts);
      expect([...run.skipped].sort()).toEqual([...told.skipped].sort());
    }),
    runs,
  );
});

test("in a graph without loops limits.parallel changes no count at all", () => {
  fc.assert(
    fc.property(samples(12), (sample) => {
      const forward = sample.edges.filter(([from, , to]) => from < to);
      const counts = [1, 2, 256].map(
        (parallel) => drive(blueprintOf(sample.ids, forward, { limits: { parallel } }), worldOf(sample)).counts,
      );
      expect(counts[0]).toEqual(counts[2]);
      expect(counts[1]).toEqual(counts[2]);
    }),
    runs,
  );
});

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function capOf(node: Node): number {
  return node.cap ?? (node.type === "agent" ? 5 : Infinity);
}

/** By pass, from due to end, in a time that counts one for each end. */
function turnarounds(run: DrivenRun): Map<string, number> {
  const due = new Map<string, number>();
  const took = new Map<string, number>();
  let ends = 0;
  for (const event of run.events) {
    if (event.type === "node.queued" || event.type === "node.started") {
      const key = `${event.node}#${event.pass}`;
      if (!due.has(key)) due.set(key, ends);
    } else if (event.type === "node.ended") {
      ends += 1;
      const key = `${event.node}#${event.pass}`;
      took.set(key, ends - (due.get(key) ?? 0));
    }
  }
  return took;
}
