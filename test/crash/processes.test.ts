import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { identify, isAlive } from "../../src/runtime/processes/identity.ts";
import { five, Site } from "./harness.ts";

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(() => site.remove());

const script = (run: string): string =>
  `name: one\nnodes:\n  a: { type: script, run: ${JSON.stringify(run)} }\nedges: [{ from: a, to: END }]\n`;

test("what a killed engine left running is ended before its run goes on, in whatever session it hides", async () => {
  // The script notes its processes, kills the engine above it, and would write once more if it were let.
  const hide = "setsid sh -c 'echo $$ > hidden; sleep 300; echo late >> log' & echo $$ > seen;";
  const wait = "while [ ! -s hidden ]; do :; done; kill -9 $PPID; sleep 300; echo late >> log";
  await site.start(script(`${hide} ${wait}`));
  const left = ["seen", "hidden"].map((name) => Number(readFileSync(join(site.cwd, name), "utf8")));
  const living = left.map(identify);
  expect(living).not.toContain(null);
  const [run] = await site.journaled();
  const resumed = await site.resume(run?.row.run ?? "");
  expect(resumed.lines.at(-1)).toMatchObject({ status: "needs_attention" });
  expect(living.filter((process) => process !== null && isAlive(process))).toEqual([]);
  expect(site.done()).toEqual([]);
});

test("what a killed engine left running is ended though the next one was killed before it came to it", async () => {
  const hide = "setsid sh -c 'echo $$ > hidden; sleep 300; echo late >> log' &";
  await site.start(script(`${hide} while [ ! -s hidden ]; do :; done; kill -9 $PPID`));
  const hidden = identify(Number(readFileSync(join(site.cwd, "hidden"), "utf8")));
  const [run] = await site.journaled();
  // The first commit of a resume is that it takes the run over.
  expect(await site.resume(run?.row.run ?? "", "after:1")).toMatchObject({ signal: "SIGKILL" });
  expect(hidden !== null && isAlive(hidden)).toBe(true);
  await site.resume(run?.row.run ?? "");
  expect(hidden !== null && isAlive(hidden)).toBe(false);
});

describe("a probe decides about a claim that a crash left open", () => {
  const published = (done: string, probe = "cat published"): string => `name: publish
nodes:
  a:
    type: script
    run: echo a >> log; if [ ! -e once ]; then touch once; kill -9 $PPID; exit; fi; echo v1 > published
    effect: { probe: ${JSON.stringify(probe)}, done: ${JSON.stringify(done)} }
  b: { type: script, run: echo b >> log }
edges: [{ from: a, to: b }, { from: b, to: END }]
`;

  async function resumed(document: string, between = ""): Promise<readonly [unknown, readonly unknown[]]> {
    await site.start(document);
    if (between !== "") writeFileSync(join(site.cwd, "published"), between);
    const [run] = await site.journaled();
    const { lines } = await site.resume(run?.row.run ?? "");
    const [after] = await site.journaled();
    const settled = after?.events.flatMap(({ body }) => (body.type === "node.settled" ? [[body.as, body.by]] : []));
    return [lines.at(-1), settled ?? []];
  }

  test.each([["contains v1"], ["matches ^v\\d$"], ["exit 0"]])(
    "%s: the effect is there, and is not done again",
    async (done) => {
      const [end, settled] = await resumed(published(done), "v1\n");
      expect(end).toMatchObject({ status: "succeeded" });
      expect(settled).toEqual([["done", "probe"]]);
      expect(site.done()).toEqual(["a", "b"]);
    },
  );

  test("the effect is not there, and the node is performed again", async () => {
    const [end, settled] = await resumed(published("contains v1", "cat published || true"));
    expect(end).toMatchObject({ status: "succeeded" });
    expect(settled).toEqual([["again", "probe"]]);
    expect(site.done()).toEqual(["a", "a", "b"]);
  });

  test("a probe that cannot be run leaves it to a person, who is told so", async () => {
    const [end, settled] = await resumed(published("exit 0", "no-such-program-here"));
    expect(end).toMatchObject({ status: "needs_attention" });
    expect(settled).toEqual([]);
    expect(site.done()).toEqual(["a"]);
    const [after] = await site.journaled();
    const reasons = after?.events.flatMap(({ body }) => (body.type === "node.unconfirmed" ? [body.reason.text] : []));
    expect(reasons).toEqual([expect.stringContaining("its probe could not tell")]);
  });
});

test("an engine killed while its scripts run is resumed by one of two that try", async () => {
  await site.start(five(), "after:6");
  const [run] = await site.journaled();
  const id = run?.row.run ?? "";
  const both = await Promise.all([site.resume(id), site.resume(id)]);
  const answers = both.map(({ lines }) => lines.at(-1) ?? {});
  expect(answers.filter(({ status }) => status === "needs_attention")).toHaveLength(1);
  expect(answers.filter(({ refused }) => refused === "conflict" || refused === "finished")).toHaveLength(1);
  const [after] = await site.journaled();
  expect(after?.events.filter(({ body }) => body.type === "run.resumed")).toHaveLength(1);
  expect(site.done().length).toBe(new Set(site.done()).size);
});

test("four processes that write as fast as they can all get their turn", async () => {
  const each = 200;
  const programs = Array.from({ length: 4 }, () => site.program("writer.ts", [site.home, String(each)]).exited);
  const writers = await Promise.all(programs);
  expect(writers.map(({ signal, stderr }) => [signal, stderr])).toEqual(writers.map(() => [null, ""]));
  const runs = await site.journaled();
  expect(runs.map(({ events }) => events.length)).toEqual(writers.map(() => each));
  const times = writers.map(({ lines }) => lines.at(-1) as { readonly slowest: number; readonly took: number });
  expect(Math.max(...times.map(({ slowest }) => slowest))).toBeLessThan(limits.storeBusyMs);
});

test("four engines in four processes share one store: every run ends, no record is lost or mixed up", async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => site.start(five())));
  expect(all.map(({ lines }) => lines.at(-1))).toMatchObject(all.map(() => ({ status: "succeeded" })));
  const runs = await site.journaled();
  expect(runs).toHaveLength(4);
  for (const { events } of runs) expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expect([...site.done()].sort((a, b) => a.localeCompare(b))).toEqual(
    ["a", "b", "c", "d", "e"].flatMap((name) => Array(4).fill(name)),
  );
  expect(existsSync(join(site.home, "trammel.db"))).toBe(true);
});
