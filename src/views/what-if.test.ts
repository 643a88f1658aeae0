import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DrivenRun, drive, type DriveOptions } from "../../test/properties/driver.ts";
import { play, type Scene, stage } from "../../test/properties/play.ts";
import { hazards } from "../../test/properties/worlds.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { EventBody } from "../model/events.ts";
import type { Choose } from "./decisions.ts";
import { type Tried, whatIf, type WhatIf } from "./what-if.ts";
import { whatIfText } from "./what-if-text.ts";

/** What of a run would have gone another way. */
async function other(
  run: Pick<DrivenRun, "events" | "times">,
  blueprint: Blueprint,
  more: Partial<Tried> = {},
): Promise<WhatIf> {
  const journal = run.events.map((body, i) => ({ body, at: run.times[i] ?? 0 }));
  const seen = await whatIf({
    journal,
    was: null,
    blueprint,
    instead: () => undefined,
    choose: never,
    goesOtherwise: () => false,
    ...more,
  });
  if (seen === null) throw new Error("it has no start");
  const { events: _events, ...rest } = seen;
  return rest;
}

const never: Choose = () => Promise.resolve(null);

function textOf(seen: WhatIf): string {
  return whatIfText("r1", "b.yaml", seen, []);
}

const same = { starts: [], halts: { before: [], after: [] }, assumed: [], changed: [], decisions: [] };
const failing = play("a>l,l+>p", { results: { l: "failure" } });

test("another blueprint over the same outcomes: what would start, how it would end, and what is a guess", async () => {
  const mended = stage("a>l,l+>p,l!>f,f>l", { nodes: { f: { type: "agent", cap: 1 } } });
  const seen = await other(failing, mended);
  expect(seen).toEqual({
    before: { status: "failed", reason: "l: exit 1" },
    after: { status: "succeeded", reason: null },
    starts: [
      { node: "f", before: 0, after: 1 },
      { node: "l", before: 1, after: 2 },
      { node: "p", before: 0, after: 1 },
    ],
    halts: { before: [], after: [] },
    assumed: ["f", "l", "p"],
    changed: [],
    decisions: [],
  });
  expect(textOf(seen)).toBe(
    "r1 with b.yaml: succeeded; it was failed (l: exit 1)\n" +
      "  f: 0 → 1 starts\n  l: 1 → 2 starts\n  p: 0 → 1 starts\n" +
      "  taken to succeed, since nothing was recorded: f, l, p\n",
  );
});

test("passes that earlier runs of the task had used count", async () => {
  const nodes = { f: { type: "agent", cap: 1 } } as const;
  const run = play("a>l,l+>p", { results: { l: "failure" }, passes: { f: 1 } });
  const seen = await other(run, stage("a>l,l+>p,l!>f,f>l", { nodes }));
  expect(seen.after.status).toBe("escalated");
  expect(textOf(seen)).toContain("  halts, escalated at f: its cap of 1 pass is used up; l: exit 1\n");
});

describe("the same blueprint gives the same, without a guess", () => {
  const deaths = fc.constantFrom<DriveOptions["deaths"][]>(
    new Map(),
    new Map([
      [2, "again"],
      [7, "failed"],
    ]),
  );

  test("whatever went wrong, over deaths of the engine too", async () => {
    await fc.assert(
      fc.asyncProperty(hazards, deaths, async ({ blueprint, world }, when) => {
        const run = drive(blueprint, world, when === undefined ? {} : { deaths: when });
        const seen = await other(run, blueprint, { was: blueprint });
        expect(seen).toEqual({ ...same, before: seen.after, after: seen.before });
      }),
      { numRuns: 500 },
    );
  });

  test("of a run that is not over: what is open stays open", async () => {
    await fc.assert(
      fc.asyncProperty(hazards, fc.nat(), async ({ blueprint, world }, chance) => {
        const run = drive(blueprint, world);
        const cut = cutAt(run, chance);
        const seen = await other(cut, blueprint, { was: blueprint });
        expect(seen).toEqual({ ...same, before: seen.after, after: seen.before });
      }),
      { numRuns: 500 },
    );
  });
});

test("one that waited for its retry when others were enough for a join is not taken to have been tried again", async () => {
  const scene: Scene = {
    settings: { escalate: ["error"] },
    nodes: { e: { retry: 3, idempotent: true }, g: { join: "any" } },
    results: { e: "error" },
    ticks: { f: 5 },
  };
  const run = play("a>e,a>f,e+>g,f+>g,g+>h", scene);
  expect(run.events.map(({ type }) => type)).toContain("node.retrying");
  expect(ended(run).status).toBe("succeeded");
  const seen = await other(run, stage("a>e,a>f,e+>g,f+>g,g+>h", scene));
  expect(seen).toEqual({ ...same, before: ended(run), after: ended(run) });
});

/** A run whose engine has come no further: no commit is cut in two. */
function cutAt({ events, times }: DrivenRun, chance: number): Pick<DrivenRun, "events" | "times"> {
  const ends = [...times.keys()].filter((i) => times[i + 1] !== times[i]);
  const length = (ends[chance % ends.length] ?? 0) + 1;
  return { events: events.slice(0, length), times: times.slice(0, length) };
}

test("a node that was renamed keeps what was recorded of it, and the passes of its task", async () => {
  const nodes = { f: { type: "agent", cap: 2 } } as const;
  const run = play("l+>p,l!>f,f>l", { nodes, results: { l: "failure success" }, passes: { f: 1 } });
  const renamed = stage("l+>p,l!>mend,mend>l", { nodes: { mend: { type: "agent", cap: 2, was: "f" } } });
  expect(await other(run, renamed)).toEqual({ ...same, before: run.end && ended(run), after: ended(run) });
  const capped = stage("l+>p,l!>mend,mend>l", { nodes: { mend: { type: "agent", cap: 1, was: "f" } } });
  expect((await other(run, capped)).after.status).toBe("escalated");
});

function ended({ end }: DrivenRun): WhatIf["after"] {
  return end?.type === "run.finished"
    ? { status: end.status, reason: end.reason ?? null }
    : { status: null, reason: null };
}

test("a node that was removed starts no more, and one that was put before another delays it, no more", async () => {
  const run = play("a>l,l>p");
  expect(await other(run, stage("a>p"))).toMatchObject({ starts: [{ node: "l", before: 1, after: 0 }], assumed: [] });
  const seen = await other(run, stage("a>n,n>l,l>p"));
  expect(seen).toMatchObject({ starts: [{ node: "n", before: 0, after: 1 }], assumed: ["n"] });
  expect(seen.after.status).toBe("succeeded");
});

test("a settlement counts: of a cap with its grant, and of an attempt whose engine died", async () => {
  const nodes = { f: { type: "agent", cap: 1 } } as const;
  const blueprint = stage("l+>p,l!>f,f>l", { nodes });
  const capped = play("l+>p,l!>f,f>l", { nodes, results: { l: "failure" } });
  expect(ended(capped).status).toBe("escalated");
  const at = { node: "f", pass: 2, attempt: 1 } as const;
  const more: EventBody[] = [
    { type: "run.resumed", owner: { pid: 1, startTime: "1", bootId: "1" } },
    { type: "node.settled", ...at, as: "done", by: "ann" },
  ];
  const events = [...capped.events, ...more];
  const seen = await other({ events, times: [...capped.times, 900, 900] }, blueprint);
  // What the settled node leads to was not recorded, and no pass of it is a guess.
  expect(seen.assumed).toEqual(["l", "p"]);
  expect(seen.halts).toEqual({ before: [], after: [] });
});

test("a halted run that was taken up and halted again, since nobody had decided, goes the same way", async () => {
  const nodes = { f: { type: "agent", cap: 1 } } as const;
  const run = play("l+>p,l!>f,f>l", { nodes, results: { l: "failure" } });
  const halted = run.events.slice(-2);
  expect(halted.map(({ type }) => type)).toEqual(["run.halting", "run.finished"]);
  const resumed: EventBody = { type: "run.resumed", owner: { pid: 1, startTime: "1", bootId: "1" } };
  const events = [...run.events, resumed, ...halted];
  const seen = await other({ events, times: [...run.times, 900, 900, 900] }, stage("l+>p,l!>f,f>l", { nodes }));
  expect(seen).toEqual({ ...same, before: ended(run), after: ended(run) });
});

test("a decision about what does not halt any more, or elsewhere, is none: the run stays as it ended", async () => {
  const nodes = (cap: number) => ({ f: { type: "agent", cap } }) as const;
  const run = play("l+>p,l!>f,f>l", { nodes: nodes(2), results: { l: "failure" } });
  const more: EventBody[] = [
    { type: "run.resumed", owner: { pid: 1, startTime: "1", bootId: "1" } },
    { type: "node.settled", node: "f", pass: 3, attempt: 1, as: "again", by: "ann", grant: 1 },
  ];
  const resolved = { events: [...run.events, ...more], times: [...run.times, 900, 900] };
  const seen = await other(resolved, stage("l+>p,l!>f,f>l", { nodes: nodes(1) }));
  expect(seen.after).toMatchObject({ status: "escalated" });
  expect(seen.halts.after).toHaveLength(1);
});

test("what a node does otherwise is said, and that it decides otherwise is not", async () => {
  const was = stage("a>l,l>p");
  const run = play("a>l,l>p");
  const more = (node: object) => other(run, stage("a>l,l>p", { nodes: { l: node } }), { was });
  expect((await more({ run: "make" })).changed).toEqual(["l"]);
  expect((await more({ title: "L", retry: 3, cap: 4 })).changed).toEqual([]);
  expect(textOf(await more({ run: "make" }))).toContain("taken as recorded, though they do something else now: l\n");
});

test("one that nothing was recorded of is taken to succeed by its own measure: a failure that is expected, its first option", async () => {
  const run = play("a>z");
  const red = stage("a>r,r+>z", { nodes: { r: { expect: "failure" } } });
  expect(await other(run, red)).toMatchObject({ after: { status: "succeeded" }, assumed: ["r"] });
  const asked = { type: "human", mode: "choice", options: [{ id: "go" }, { id: "no" }] } as const;
  const gate = stage("a>q,q>z", { nodes: { q: asked } });
  const edges = gate.edges.map((edge) => (edge.from === "q" ? { ...edge, when: "go" } : edge));
  expect((await other(run, { ...gate, edges })).after.status).toBe("succeeded");
});

test("what was left to a run later, as by the run around it, bounds nothing that had begun before", async () => {
  const was = stage("a>b");
  const run = play("a>b");
  const [first] = run.events;
  if (first?.type !== "run.started") throw new Error("it has no start");
  const { contentHash, bindingHash, owner } = first;
  const at = run.events.findIndex((body) => body.type === "node.started" && body.node === "b") + 1;
  const accepted = { contentHash, bindingHash, limits: { steps: 1 } };
  const events = run.events.toSpliced(at, 0, { type: "run.resumed", owner, accepted });
  const times = run.times.toSpliced(at, 0, run.times[at] ?? 0);
  const { before, after, ...more } = await other({ events, times }, was, { was });
  expect(more).toEqual(same);
  expect(after).toEqual(before);
});

test("limits that the run was bound to hold, unless the other blueprint says others", async () => {
  const limits = { steps: 2 };
  const run = play("a>b,b>c", { settings: { limits } });
  expect(ended(run).status).toBe("limit");
  const was = stage("a>b,b>c");
  // As `trammel.yaml` bound it: the documents say nothing of steps.
  const events = run.events.map((body) => (body.type === "run.started" ? { ...body, limits } : body));
  const bound = { events, times: run.times };
  expect(await other(bound, stage("a>b,b>c"), { was })).toMatchObject({ after: { status: "limit" }, starts: [] });
  const wider = stage("a>b,b>c", { settings: { limits: { steps: 3 } } });
  expect(await other(bound, wider, { was })).toMatchObject({
    after: { status: "succeeded" },
    halts: { before: [{ cause: "limit", node: "c" }], after: [] },
    assumed: ["c"],
  });
});

test("less time is counted from the times of the journal, and more of it lets the run go on", async () => {
  const long = { settings: { limits: { timeMs: 100 } }, ticks: { a: 60, b: 60 } };
  const run = play("a>b,b>c", long);
  expect(ended(run).status).toBe("limit");
  const was = stage("a>b,b>c", long);
  const more = stage("a>b,b>c", { settings: { limits: { timeMs: 1_000 } } });
  expect((await other(run, more, { was })).after.status).toBe("succeeded");
  const easy = play("a>b,b>c", { ...long, settings: { limits: { timeMs: 1_000 } } });
  expect((await other(easy, was, { was: more })).after.status).toBe("limit");
});

test("what a call came to instead is routed", async () => {
  const run = play("a>l,l+>p");
  const failed = { outcome: "failure", reason: { code: "child", text: "x: exit 1" } } as const;
  const seen = await other(run, stage("a>l,l+>p"), { instead: ({ node }) => (node === "l" ? failed : undefined) });
  expect(seen).toMatchObject({ after: { status: "failed", reason: "l: x: exit 1" }, starts: [{ node: "p" }] });
});

test("events that are no run have no other way", async () => {
  expect(
    await whatIf({
      journal: [],
      was: null,
      blueprint: stage("a>b"),
      instead: () => undefined,
      choose: never,
      goesOtherwise: () => false,
    }),
  ).toBeNull();
});
