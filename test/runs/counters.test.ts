import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { charging, passesOfTask } from "../../src/runtime/counters/counters.ts";
import { locked } from "../../src/runtime/lock.ts";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, World, type Act } from "./harness.ts";
import { callees, calling } from "./inside.ts";

let world: World;
let file: string;
beforeEach(() => {
  world = new World();
  file = join(world.home, "state", "counters.json");
});
afterEach(() => world.remove());

const loop = blueprint(
  [agentic("fix", { cap: 2 }), plain("check")],
  [
    { from: "fix", to: "check" },
    { from: "check", to: "fix", when: "failure" },
  ],
  { records: { counters: "state/counters.json" }, escalate: ["cap", "error"] },
);
const failing: Readonly<Record<string, Act>> = { fix: () => success, check: () => ({ outcome: "failure" }) };
const started = () => request(loop, { taskId: "T1", cwd: world.home });
const mirrored = (): unknown => JSON.parse(readFileSync(file, "utf8"));

test("a pass is in the mirror before its agent starts", async () => {
  const seen: unknown[] = [];
  const acts = { ...failing, fix: () => (seen.push(mirrored()), success) };
  await world.toEnd(started(), acts);
  expect(seen).toEqual([1, 2].map((passes) => ({ version: 1, tasks: { T1: { fix: { passes, cap: 2 } } } })));
});

test("the mirror outlives the store: its counts hold, and other tasks in it stay", async () => {
  mkdirSync(join(world.home, "state"));
  const other = { T0: { fix: { passes: 7, cap: 9 } } };
  writeFileSync(file, JSON.stringify({ version: 1, tasks: { ...other, T1: { fix: { passes: 1, cap: 2 } } } }));
  expect(await world.toEnd(started(), failing)).toMatchObject({
    status: "escalated",
  });
  expect(bodies(world.seen, "node.started").flatMap(({ charged }) => charged ?? [])).toEqual([{ passes: 2, cap: 2 }]);
  expect(mirrored()).toEqual({ version: 1, tasks: { ...other, T1: { fix: { passes: 2, cap: 2 } } } });
});

test("a decision inside a call is held to what the mirror counts, before anything is recorded", async () => {
  const callee = { ...blueprint([agentic("fix", { cap: 2 }), plain("check")], loop.edges), name: "callee" };
  const [of, more] = [blueprint([calling("sub", "callee")], []), { callees: callees({ callee }) }];
  const top = { ...of, records: loop.records };
  const engine = world.engine(failing);
  const begun = handle(await engine.start(request(top, { ...more, taskId: "T1", cwd: world.home }), world.observer));
  expect(await begun.end).toMatchObject({ status: "escalated" });
  writeFileSync(file, JSON.stringify({ version: 1, tasks: { T1: { "sub/fix": { passes: 4, cap: 2 } } } }));
  const before = kinds(world.journal().read(begun.run));
  const settle = (grant: number) =>
    engine.resume(
      again(begun.run, { blueprint: top, ...more, settle: { node: "sub/fix", as: "again", by: "Ada", grant } }),
      world.observer,
    );
  expect(await settle(1)).toMatchObject({
    refused: "bad_input",
    message: expect.stringContaining(`sub/fix of run ${begun.run} would not begin again`),
    hint: expect.stringContaining("--grant 3 "),
  });
  expect(kinds(world.journal().read(begun.run))).toEqual(before);
  world.seen.length = 0;
  expect(await handle(await settle(3)).end).toMatchObject({ status: "escalated" });
  expect(mirrored()).toEqual({ version: 1, tasks: { T1: { "sub/fix": { passes: 5, cap: 5 } } } });
});

test("what another store charges in the middle of a run counts", async () => {
  let fixes = 0;
  const beside = (passes: number): void =>
    writeFileSync(file, JSON.stringify({ version: 1, tasks: { T1: { fix: { passes, cap: 3 } } } }));
  const acts = { ...failing, fix: () => ((fixes += 1), beside(2), success) };
  const wider = blueprint([agentic("fix", { cap: 3 }), plain("check")], [...loop.edges], {
    records: { counters: "state/counters.json" },
    escalate: ["cap", "error"],
  });
  const run = await world.start(request(wider, { taskId: "T1", cwd: world.home }), acts);
  expect(await run.end).toMatchObject({ status: "escalated" });
  expect(bodies(world.seen, "node.started").flatMap(({ charged }) => charged?.passes ?? [])).toEqual([1, 3]);
  expect(fixes).toBe(2);
});

describe("an engine that dies between the mirror and its journal", () => {
  const facts = { run: "r1", taskId: "T1", blueprint: loop, account: "test" };
  const claim = { node: "fix", pass: 1, attempt: 1, step: 1, from: [], charged: { passes: 1, cap: 2 } } as const;
  const events = [{ type: "node.started", ...claim }] as const;
  const counting = (passes: number) => ({ passes: () => (passes === 0 ? {} : { fix: passes }) });
  const own = () => ({ ...facts, project: world.home });
  const died = () =>
    expect(charging(own(), events, () => Promise.reject(new Error("killed")))).rejects.toThrow("killed");

  test("has charged nothing: its run takes that back", async () => {
    await died();
    expect(mirrored()).toEqual({ version: 1, tasks: { T1: { fix: { passes: 1, cap: 2 } } } });
    expect(await passesOfTask(counting(0), own())).toEqual({});
    expect(mirrored()).toEqual({ version: 1, tasks: {} });
    expect(readdirSync(join(world.home, "state"))).toEqual(["counters.json"]);
  });

  test("has charged what its journal says", async () => {
    await died();
    expect(await passesOfTask(counting(1), own())).toEqual({ fix: 1 });
  });

  test("has charged for every other run, and for its own once another one charged", async () => {
    await died();
    expect(await passesOfTask(counting(0), { ...own(), run: "r2" })).toEqual({ fix: 1 });
    const second = [{ type: "node.started", ...claim, charged: { passes: 2, cap: 2 } }] as const;
    expect(await charging({ ...own(), run: "r2" }, second, () => Promise.resolve({ done: true }))).toEqual({
      done: true,
    });
    expect(await passesOfTask(counting(0), own())).toEqual({ fix: 2 });
  });
});

test("a mirror that is missing is written anew from the store", async () => {
  await world.toEnd(started(), failing, 1);
  rmSync(file);
  world.seen.length = 0;
  const again = await world.start(started(), failing, 2);
  expect(await again.end).toMatchObject({ status: "escalated" });
  expect(kinds(world.seen)).not.toContain("node.started fix");
  expect(mirrored()).toEqual({ version: 1, tasks: { T1: { fix: { passes: 2, cap: 2 } } } });
});

test("a mirror that is a link counts for all that it is linked from, and stays one", async () => {
  const shared = join(world.home, "common.json");
  mkdirSync(join(world.home, "state"));
  writeFileSync(shared, JSON.stringify({ version: 1, tasks: { T1: { fix: { passes: 1, cap: 2 } } } }));
  symlinkSync("../common.json", file);
  await world.toEnd(started(), failing);
  expect(bodies(world.seen, "node.started").flatMap(({ charged }) => charged ?? [])).toEqual([{ passes: 2, cap: 2 }]);
  expect(JSON.parse(readFileSync(shared, "utf8"))).toEqual({
    version: 1,
    tasks: { T1: { fix: { passes: 2, cap: 2 } } },
  });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
});

test.each(["__proto__", "constructor"])("a task and a node may be called %s", async (name) => {
  const odd = blueprint(
    [agentic(name, { cap: 2 }), plain("check")],
    [
      { from: name, to: "check" },
      { from: "check", to: name, when: "failure" },
    ],
    { records: { counters: "state/counters.json" }, escalate: ["cap", "error"] },
  );
  const acts = Object.fromEntries([[name, () => success], ...Object.entries(failing)]);
  const start = () => request(odd, { taskId: name, cwd: world.home });
  expect(await world.toEnd(start(), acts)).toMatchObject({
    status: "escalated",
  });
  const text = `{"version":1,"tasks":{"${name}":{"${name}":{"passes":2,"cap":2}}}}`;
  expect(JSON.stringify(mirrored())).toBe(text);
  world.seen.length = 0;
  expect(await world.toEnd(start(), acts, 2)).toMatchObject({
    status: "escalated",
  });
  expect(kinds(world.seen)).not.toContain(`node.started ${name}`);
  expect(JSON.stringify(mirrored())).toBe(text);
});

describe("a mirror that cannot be relied on lets no pass start", () => {
  test.each([
    ["half of it", "{"],
    ["another shape", '{"tasks": {}}'],
    ["a count that is none", '{"version": 1, "tasks": {"T1": {"fix": {"passes": -1, "cap": 2}}}}'],
  ])("%s", async (_, text) => {
    mkdirSync(join(world.home, "state"));
    writeFileSync(file, text);
    const answer = await world.engine(failing).start(started(), world.observer);
    expect(answer).toMatchObject({ refused: "unavailable", message: expect.stringContaining(file) });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(world.journal(2).runs(1)).toEqual([]);
  });

  test("a pipe in its place", async () => {
    mkdirSync(join(world.home, "state"));
    execFileSync("mkfifo", [file]);
    const answer = await world.engine(failing).start(started(), world.observer);
    expect(answer).toMatchObject({ refused: "unavailable", message: expect.stringContaining("it is no plain file") });
  });

  test("a link to what has no end", async () => {
    mkdirSync(join(world.home, "state"));
    symlinkSync("/dev/zero", file);
    const answer = await world.engine(failing).start(started(), world.observer);
    expect(answer).toMatchObject({ refused: "unavailable", message: expect.stringContaining("it is no plain file") });
  });

  test("a folder in its place", async () => {
    mkdirSync(file, { recursive: true });
    const answer = await world.engine(failing).start(started(), world.observer);
    expect(answer).toMatchObject({ refused: "unavailable", message: expect.stringContaining("cannot be read") });
  });

  test("broken before an attempt that is tried again", async () => {
    const again = blueprint(
      [plain("spoil"), agentic("fix", { cap: 2, idempotent: true })],
      [{ from: "spoil", to: "fix" }],
      { limits: { retries: 2 }, records: { counters: "state/counters.json" }, escalate: ["cap", "error"] },
    );
    const acts = { spoil: () => (writeFileSync(file, "{"), success), fix: () => success };
    const run = await world.start(request(again, { taskId: "T1", cwd: world.home }), acts);
    expect(await run.end).toMatchObject({ status: "escalated" });
    expect(bodies(world.seen, "node.ended").map(({ node, result }) => [node, result.outcome])).not.toContainEqual([
      "fix",
      "success",
    ]);
  });

  test("broken in the middle of a run", async () => {
    let fixes = 0;
    const acts: Readonly<Record<string, Act>> = {
      fix: () => {
        fixes += 1;
        writeFileSync(file, "{");
        return success;
      },
      check: () => ({ outcome: "failure" }),
    };
    const run = await world.start(started(), acts);
    expect(await run.end).toMatchObject({ status: "escalated", reason: expect.stringContaining("no pass may start") });
    expect(fixes).toBe(1);
  });
});

describe("a lock of the mirror that somebody else has", () => {
  const taken = (): { readonly release: () => void; readonly taking: Promise<unknown> } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { release: resolve, taking: locked(file, () => promise) };
  };

  test("does not keep a stop waiting", async () => {
    let lock = { release: (): void => undefined, taking: Promise.resolve<unknown>(null) };
    const reached = Promise.withResolvers<void>();
    const acts: Readonly<Record<string, Act>> = {
      fix: () => success,
      check: () => {
        lock = taken();
        reached.resolve();
        return { outcome: "failure" };
      },
    };
    const run = await world.start(started(), acts);
    await reached.promise;
    // The turn after it waits for the lock by now.
    await new Promise(setImmediate);
    run.stop("Ada");
    expect(await run.end).toMatchObject({ status: "stopped" });
    expect(kinds(world.seen)).toContain("node.ended check");
    expect(bodies(world.seen, "node.started").map(({ node }) => node)).toEqual(["fix", "check"]);
    lock.release();
    await lock.taking;
    expect(mirrored()).toEqual({ version: 1, tasks: { T1: { fix: { passes: 1, cap: 2 } } } });
  });

  test("does not keep whoever begins a run and thinks better of it", async () => {
    const lock = taken();
    const interrupt = new AbortController();
    const going = world.engine(failing).start({ ...started(), signal: interrupt.signal }, world.observer);
    await new Promise(setImmediate);
    interrupt.abort();
    expect(await going).toMatchObject({
      refused: "unavailable",
      message: expect.stringContaining("it was stopped while"),
    });
    lock.release();
    await lock.taking;
    expect(world.seen).toEqual([]);
  });

  test("is told of, once, where it takes long", async () => {
    const lock = taken();
    const told: string[] = [];
    const times = [0, 1_000, limits.waitToldMs, limits.counterLockMs - 1, limits.counterLockMs];
    const now = vi.spyOn(performance, "now").mockImplementation(() => times.shift() ?? limits.counterLockMs);
    const answer = await locked(file, () => Promise.resolve(), { told: (what) => told.push(what) }).finally(() => {
      now.mockRestore();
    });
    expect(answer).toMatchObject({ unlocked: expect.stringContaining("for 15 s") });
    expect(told).toEqual([`waiting for process ${process.pid}, which has the lock ${file}.lock`]);
    lock.release();
    await lock.taking;
  });
});
