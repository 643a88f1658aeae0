import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { ProvisionRequest, SandboxPool, SandboxVerdict } from "../../src/ports/sandbox.ts";
import { limits } from "../../src/model/limits.ts";
import { isAlive, self } from "../../src/runtime/processes/identity.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { createSandboxPool } from "../../src/sandboxes/pool/pool.ts";
import { exit, never, newFolder, partsIn, sh, works } from "./ground.ts";

const pools: SandboxPool[] = [];
const runs = ["r1", "r2"];

afterEach(async () => {
  for (const pool of pools.splice(0)) for (const run of runs) await pool.release(run, "over");
});

interface Setting {
  readonly home?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly fate?: SandboxVerdict;
  /** As an engine that has died since. */
  readonly dead?: true;
  /** Of some runs another fate than of the rest. */
  readonly fates?: Readonly<Record<string, SandboxVerdict>>;
  /** Awaited once, before the first process that holds a box is started. */
  readonly beforeStart?: () => Promise<void>;
}

function poolIn(setting: Setting = {}): SandboxPool {
  const { home = newFolder(onTestFinished), variables = {}, fate = "live", dead, fates = {}, beforeStart } = setting;
  const parts = partsIn(home);
  let before: Promise<void> | undefined;
  const pool = createSandboxPool({
    ...parts,
    start: async (request) => {
      await (before ??= beforeStart?.());
      return parts.start(request);
    },
    redactor: createRedactor(["masked-secret"]),
    owner: dead === undefined ? self() : { ...self(), startTime: "1" },
    isAlive,
    fateOf: (run) => fates[run] ?? fate,
    isInside: (run, around) => run === `${around}-inside`,
    variable: (name) => variables[name],
  });
  pools.push(pool);
  return pool;
}

function asking(more: Partial<ProvisionRequest> = {}): ProvisionRequest {
  return { run: "r1", node: "box", pass: 1, image: "host", forward: [], mounts: [], cwd: "/", ...more };
}

async function boxOf(pool: SandboxPool, more: Partial<ProvisionRequest> = {}): Promise<string> {
  const made = await pool.provision(asking(more), never);
  if ("fault" in made) throw new Error(made.fault);
  return made.id;
}

describe.runIf(works("bubblewrap"))("the boxes of a process", () => {
  test("belong to their run alone", async () => {
    const pool = poolIn();
    const id = await boxOf(pool);
    expect(await pool.find("r2", id, never)).toMatchObject({ fault: expect.stringContaining("in this run") as string });
    expect(await pool.find("r1", "none", never)).toMatchObject({ fault: expect.stringContaining("none") as string });
    expect(await pool.find("r1", "../../etc/passwd", never)).toMatchObject({ fault: expect.any(String) as string });
  });

  test("get the values of forwarded names as they are now, and no others", async () => {
    const variables: Record<string, string> = { GIVEN: "first", OTHER: "never" };
    const pool = poolIn({ variables });
    const made = await pool.provision(asking({ forward: ["GIVEN", "UNSET"] }), never);
    expect(made).toMatchObject({ notes: ["not set, so not forwarded: UNSET"] });
    variables["GIVEN"] = "second";
    expect(await pool.find("r1", "trammel-r1-1-box", never)).toMatchObject({
      env: { GIVEN: "second" },
      hasNetwork: false,
    });
  });

  test("are made anew, around what was worked, after one was lost", async () => {
    const pool = poolIn();
    const id = await boxOf(pool);
    const first = await pool.find("r1", id, never);
    if ("fault" in first) throw new Error(first.fault);
    await sh(first.sandbox, "echo worked >it");
    await first.sandbox.destroy("keep");
    expect((await sh(first.sandbox, "true")).end.kind).toBe("lost");
    const second = await pool.find("r1", id, never);
    if ("fault" in second) throw new Error(second.fault);
    expect(await sh(second.sandbox, "cat it")).toMatchObject({ out: "worked\n", end: exit(0) });
  });

  test("lose what a dead engine was copying in, once a later one opens the box or looks for what was left", async () => {
    const home = newFolder(onTestFinished);
    const staged = (): readonly string[] => readdirSync(path.join(home, "sandboxes", "staged"));
    const dead = poolIn({ home, dead: true });
    const one = await boxOf(dead);
    const two = await boxOf(dead, { run: "r2" });
    const stage = async (pool: SandboxPool, run: string, id: string): Promise<unknown> => {
      const box = await pool.find(run, id, never);
      return "fault" in box ? box.fault : box.stage();
    };
    const stagedFor = (id: string): unknown => expect.stringContaining(path.join(home, "sandboxes", "staged", id));
    expect(await stage(dead, "r1", one)).toEqual(stagedFor(one));
    expect(await stage(dead, "r2", two)).toEqual(stagedFor(two));
    const pool = poolIn({ home });
    expect(await pool.find("r1", one, never)).toHaveProperty("sandbox");
    expect(staged()).toEqual([two]);
    expect(await stage(pool, "r1", one)).toEqual(stagedFor(one));
    await pool.sweep();
    expect(staged()).toEqual([one]);
    await pool.release("r1", "resumable");
    expect(staged()).toEqual([]);
  });

  test("keep what a living engine is copying in, where another looks for what was left while it takes the box over", async () => {
    const home = newFolder(onTestFinished);
    const dead = poolIn({ home, dead: true });
    const over = await boxOf(dead);
    const resumed = await boxOf(dead, { run: "r2" });
    // So that to end it takes a box, whose start is waited for.
    await dead.checkedOut(over, { node: "clone", path: "/workspace", base: "0".repeat(40) });
    await dead.release("r1", "resumable");
    const living = poolIn({ home });
    let staged = "";
    const takeOver = async (): Promise<void> => {
      const box = await living.find("r2", resumed, never);
      if ("fault" in box) throw new Error(box.fault);
      const folder = await box.stage();
      if (typeof folder !== "string") throw new Error(folder.fault);
      staged = folder;
    };
    const sweeping = poolIn({ home, fates: { r1: "over" }, beforeStart: takeOver });
    await sweeping.sweep();
    expect(existsSync(staged)).toBe(true);
  });

  test("stay where a living engine only begins to make them while another looks for what was left", async () => {
    const home = newFolder(onTestFinished);
    const dead = poolIn({ home, dead: true });
    const over = await boxOf(dead);
    await dead.checkedOut(over, { node: "clone", path: "/workspace", base: "0".repeat(40) });
    await dead.release("r1", "resumable");
    const living = poolIn({ home });
    let begun = "";
    const begin = async (): Promise<void> => {
      begun = path.join(home, "sandboxes", "boxes", await boxOf(living, { run: "r2" }));
      // What it is before it says in it whose it is.
      rmSync(path.join(begun, "owner"));
    };
    await poolIn({ home, fates: { r1: "over" }, beforeStart: begin }).sweep();
    expect(existsSync(path.join(begun, "workspace"))).toBe(true);
  });

  test("remember checkouts of nodes that work side by side", async () => {
    const home = newFolder(onTestFinished);
    const pool = poolIn({ home });
    const id = await boxOf(pool);
    const box = await pool.find("r1", id, never);
    if ("fault" in box) throw new Error(box.fault);
    const init =
      "git init -q $d && cd $d && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git rev-parse HEAD && echo $d >f";
    const names = Array.from({ length: 8 }, (_, at) => `c${at}`);
    const bases = await Promise.all(names.map((d) => sh(box.sandbox, init, { env: { d } })));
    const saved = names.map((node, at) =>
      pool.checkedOut(id, { node, path: `/workspace/${node}`, base: bases[at]?.out.trim() ?? "" }),
    );
    expect(await Promise.all(saved)).toEqual(names.map(() => null));
    expect(await pool.release("r1", "over")).toEqual([]);
    expect(readdirSync(path.join(home, "artifacts", "r1")).toSorted()).toEqual(names.map((name) => `${name}.patch`));
  });

  test("leave a patch that is what was changed byte by byte, but for secrets", async () => {
    const home = newFolder(onTestFinished);
    const pool = poolIn({ home });
    const id = await boxOf(pool);
    const box = await pool.find("r1", id, never);
    if ("fault" in box) throw new Error(box.fault);
    const begin =
      "git init -q . && printf 'caf\\351\\n' >f && git add . && git -c user.name=a -c user.email=b commit -qm x && git rev-parse HEAD";
    const { out } = await sh(box.sandbox, begin);
    await pool.checkedOut(id, { node: "clone", path: "/workspace", base: out.trim() });
    const work =
      "printf 'th\\351\\n\\0' >f; git -c user.name=a -c user.email=b commit -qam y; echo masked-secret >new; printf 'th\\351\\n' >plain";
    await sh(box.sandbox, work);
    expect(await pool.release("r1", "over")).toEqual([]);
    const patch = readFileSync(path.join(home, "artifacts", "r1", "clone.patch"));
    expect(patch.includes(Buffer.from("+th\xe9\n", "latin1"))).toBe(true);
    expect(patch.toString()).toContain("GIT binary patch");
    expect(patch.toString()).toContain("+***\n");
  });

  test("say when a patch cannot be had", async () => {
    const home = newFolder(onTestFinished);
    const pool = poolIn({ home });
    const id = await boxOf(pool);
    await pool.checkedOut(id, { node: "clone", path: "/workspace/gone", base: "0".repeat(40) });
    expect(await pool.release("r1", "over")).toEqual([
      expect.stringMatching(/^the changes of clone could not be kept: ./),
    ]);
    expect(readdirSync(path.join(home, "artifacts", "r1"))).toEqual([]);
  });

  test("are bounded in number, and refused a look at our own data", async () => {
    const home = newFolder(onTestFinished);
    const pool = poolIn({ home });
    mkdirSync(path.join(home, "secrets"));
    expect(await pool.provision(asking({ mounts: [`${home}/secrets:/s`] }), never)).toMatchObject({
      fault: expect.stringContaining("own data") as string,
    });
    expect(await pool.provision(asking({ network: "bridge" }), never)).toMatchObject({
      fault: expect.stringContaining("bridge") as string,
    });
    const ids = await Promise.all(
      Array.from({ length: limits.sandboxesPerRun }, (_, at) => boxOf(pool, { pass: at + 1 })),
    );
    expect(new Set(ids).size).toBe(limits.sandboxesPerRun);
    const more = await pool.provision(asking({ pass: 1000 }), never);
    expect(more).toMatchObject({ fault: expect.stringContaining(String(limits.sandboxesPerRun)) as string });
  });

  test.each([
    ["over", []],
    ["resumable", ["workspace"]],
  ] as const)("of an engine that died go with the next one's, where their run is %s but for %j", async (fate, left) => {
    const home = newFolder(onTestFinished);
    const dead = poolIn({ home, dead: true });
    const id = await boxOf(dead);
    const next = poolIn({ home, fate });
    await next.sweep();
    const boxes = path.join(home, "sandboxes", "boxes");
    const found = readdirSync(boxes).flatMap((name) => readdirSync(path.join(boxes, name)));
    expect(found.filter((name) => name !== "owner")).toEqual(left);
    expect("fault" in (await next.find("r1", id, never))).toBe(fate === "over");
  });
});
