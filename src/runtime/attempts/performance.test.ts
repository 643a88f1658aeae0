import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { ScriptNode } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { NodeResult, Reason } from "../../model/outcome.ts";
import type { ActionContext, Performer, Progress } from "../../ports/performer.ts";
import { ManualClock } from "../time/clock.ts";
import { BlobFailure } from "../blobs/failure.ts";
import { Performance } from "./performance.ts";
import { identify, isAlive } from "../processes/identity.ts";

const node: ScriptNode = { id: "a", type: "script", run: "true" };

interface Scene {
  readonly clock: ManualClock;
  readonly results: NodeResult[];
  readonly leftBehind: Reason[];
  readonly reports: Progress[];
  readonly performance: Performance;
}

function play(
  perform: (context: ActionContext) => Promise<NodeResult>,
  timeoutMs: number | null = null,
  more: Pick<Performer, "untimed"> = {},
  held?: (result: NodeResult) => Promise<NodeResult>,
): Scene {
  const clock = new ManualClock();
  const results: NodeResult[] = [];
  const leftBehind: Reason[] = [];
  const reports: Progress[] = [];
  const performer: Performer = { type: "script", class: "deterministic", missing: () => null, perform, ...more };
  const performance = new Performance({
    performer,
    timeoutMs,
    clock,
    // Only what the performers below look at.
    context: (live) =>
      ({
        node,
        blueprint: { outputs: {} },
        report: (progress: Progress) => live.report(progress),
        get signal() {
          return live.signal;
        },
      }) as unknown as ActionContext,
    ...(held && { held }),
    report: (progress) => reports.push(progress),
    ended: (result) => results.push(result),
    leftBehind: (reason) => leftBehind.push(reason),
  });
  return { clock, results, leftBehind, reports, performance };
}

test("ended at once, a process that ignores TERM is gone without the grace of a stop", async () => {
  const child = spawn("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 300; done"], { detached: true });
  await once(child.stdout, "data");
  const process = identify(child.pid ?? 0);
  if (process === null) throw new Error("it did not start");
  const { performance, results } = play(async (context) => {
    context.report({ kind: "process", process });
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    return { outcome: "cancelled", reason: { code: "cancelled", text: String(signal) } };
  });
  performance.cancel();
  expect(isAlive(process)).toBe(true);
  performance.endAtOnce();
  await performance.over();
  expect(results).toMatchObject([{ outcome: "cancelled", reason: { text: "SIGKILL" } }]);
  expect(isAlive(process)).toBe(false);
});

test("what is reported after the end is not passed on", async () => {
  let late: ActionContext | undefined;
  const { performance, reports } = play(async (context) => {
    late = context;
    return { outcome: "success" };
  });
  await performance.over();
  late?.report({ kind: "line", stream: "stdout", text: "late" });
  expect(reports).toEqual([]);
});

const usage = { inputTokens: 3, outputTokens: 4, turns: 1 };

test.each<[string, NodeResult]>([
  ["bare cancellation", { outcome: "cancelled" }],
  ["success", { outcome: "success", value: 1, ports: { a: 1 }, option: "approve", usage }],
  ["no", { outcome: "failure", reason: { code: "exit", text: "exit code 1" }, option: "reject", usage }],
  ["error", { outcome: "error", reason: { code: "connection", text: "aborted" }, usage }],
])("once its time is up its %s is a timeout", async (_, answer) => {
  for (const untimed of [{}, { untimed: true }] as const) {
    const scene = play(
      ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(answer))),
      1_000,
      untimed,
    );
    scene.clock.advance(1_000 + limits.performanceSlackMs);
    await scene.performance.over();
    const reason = { code: "timeout", text: "no end after 1 s" };
    const { usage: used } = answer;
    expect(scene.results).toEqual([{ outcome: "failure", reason, ...(used && { usage: used }) }]);
  }
});

test("its own word of the timeout stands, and so does a run inside that waits for a decision", async () => {
  const answers: readonly NodeResult[] = [
    { outcome: "failure", reason: { code: "timeout", text: "its own words" } },
    { outcome: "failure", halt: { cause: "escalated", node: "a/b", reason: { code: "cap", text: "used up" } } },
  ];
  for (const answer of answers) {
    const scene = play(
      ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(answer))),
      1_000,
    );
    scene.clock.advance(1_000 + limits.performanceSlackMs);
    await scene.performance.over();
    expect(scene.results).toEqual([answer]);
  }
});

test("a throw when its time is up is the timeout, and when it is cancelled the cancellation", async () => {
  const thrown = ({ signal }: ActionContext): Promise<NodeResult> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  const late = play(thrown, 1_000, { untimed: true });
  late.clock.advance(1_000);
  const stopped = play(thrown);
  stopped.performance.cancel();
  await Promise.all([late.performance.over(), stopped.performance.over()]);
  expect(late.results).toMatchObject([{ outcome: "failure", reason: { code: "timeout" } }]);
  expect(stopped.results).toMatchObject([{ outcome: "cancelled", reason: { code: "cancelled" } }]);
});

test("what it used and left alive is told though its result cannot be kept", async () => {
  const answer: NodeResult = { outcome: "success", usage, agent: { provider: "p" }, survivors: [4711] };
  const full = (): Promise<never> => Promise.reject(new BlobFailure("blobs", new Error("full")));
  const { performance, results } = play(() => Promise.resolve(answer), null, {}, full);
  await performance.over();
  const { outcome: _, ...stands } = answer;
  expect(results).toEqual([{ outcome: "error", reason: { code: "spill", text: "cannot use blobs: full" }, ...stands }]);
});

test("cancelled after its time was up, it was cancelled", async () => {
  const answer = Promise.withResolvers<NodeResult>();
  const scene = play(() => answer.promise, 1_000);
  scene.clock.advance(1_000 + limits.performanceSlackMs);
  scene.performance.cancel();
  answer.resolve({ outcome: "cancelled" });
  await scene.performance.over();
  expect(scene.results).toEqual([{ outcome: "cancelled" }]);
});

test("one that does not keep its timeout itself is told to end when the time is up, and not later", async () => {
  const scene = play(
    ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    1_000,
    { untimed: true },
  );
  scene.clock.advance(1_000);
  await scene.performance.over();
  expect(scene.results).toMatchObject([{ outcome: "failure", reason: { code: "timeout", text: "no end after 1 s" } }]);
});

test("one that outlives its timeout is left behind with what of it lives, and its late answer changes nothing", async () => {
  const child = spawn("sleep", ["300"], { detached: true });
  const process = identify(child.pid ?? 0);
  if (process === null) throw new Error("it did not start");
  const late = Promise.withResolvers<NodeResult>();
  const scene = play((context) => {
    context.report({ kind: "process", process });
    return late.promise;
  }, 1_000);
  scene.clock.advance(1_000 + limits.performanceSlackMs);
  expect(scene.leftBehind).toEqual([]);
  scene.clock.advance(limits.performanceAbandonMs);
  await scene.performance.over();
  expect(scene.leftBehind).toMatchObject([
    {
      code: "left_behind",
      text: expect.stringMatching(new RegExp(`of its timeout.* process ${process.pid} still lives$`)),
    },
  ]);
  late.resolve({ outcome: "success" });
  await scene.performance.gone;
  expect(scene.results).toEqual([]);
  expect(scene.leftBehind).toHaveLength(1);
  child.kill("SIGKILL");
  await once(child, "exit");
});
