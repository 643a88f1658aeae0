import { describe, expect, it } from "vitest";
import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode, ScriptNode } from "../model/node.ts";
import type { Answer, GateKeeper, Question } from "../ports/gate.ts";
import type { ActionContext, Capabilities, Progress } from "../ports/performer.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import { limits } from "../model/limits.ts";
import { ManualClock, systemClock } from "../runtime/time/clock.ts";
import { createHumanPerformer } from "./human.ts";

/** The tree that each look at it finds, the last one from then on. */
let trees: (string | null)[] = [null];
const treeOf = async (): Promise<string | null> => (trees.length > 1 ? trees.shift() : trees[0]) ?? null;
const mask = (text: string): string => text;
const human = createHumanPerformer(systemClock, (name) => name === "ann", { treeOf, mask });

const ship: ScriptNode = { id: "ship", type: "script", run: "ship it" };
const shipping = { nodes: new Map([["ship", ship]]), edges: [{ from: "gate", to: "ship", when: "success" }] };

type Ask = (question: Question, signal: AbortSignal, reported: readonly Progress[]) => Promise<Answer>;

/** Performs one gate; only what the performer may use exists in the context. */
async function perform(
  node: Partial<HumanNode>,
  ask: Ask,
  more: {
    timeoutMs?: number;
    since?: number;
    clock?: Clock;
    signal?: AbortSignal;
    blueprint?: Partial<Blueprint>;
  } = {},
) {
  const reported: Progress[] = [];
  const gates: GateKeeper = { ask: (question, signal) => ask(question, signal, [...reported]) };
  const text = { source: "Go?", parts: [{ text: "Go?" }] };
  const context = {
    run: "r",
    taskId: "t",
    blueprint: (more.blueprint ?? { nodes: new Map(), edges: [] }) as Blueprint,
    node: { id: "gate", type: "human", mode: "approval", prompt: text, ...node },
    attempt: { node: "gate", pass: 1, attempt: 1 },
    since: more.since ?? systemClock.now(),
    values: { text: (template: typeof text) => Promise.resolve(template.source) },
    timeoutMs: more.timeoutMs ?? null,
    can: { gates },
    signal: more.signal ?? new AbortController().signal,
    report: (progress: Progress) => void reported.push(progress),
  } as unknown as ActionContext<HumanNode>;
  const performer = more.clock === undefined ? human : createHumanPerformer(more.clock, () => true, { treeOf, mask });
  return { result: await performer.perform(context), reported };
}

const untilAborted: Ask = (_, signal) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "nobody" }), { once: true });
  });

describe("an approval before an action", () => {
  it("is asked again where the tree changes while it is given, and says why; the second yes stands", async () => {
    trees = ["one", "two"];
    const reasons: (string | undefined)[] = [];
    const { result, reported } = await perform(
      {},
      ({ because }) => {
        reasons.push(because);
        return Promise.resolve({ kind: "approved", by: "ann" });
      },
      { blueprint: shipping },
    );
    expect(result).toMatchObject({ outcome: "success" });
    expect(reasons).toEqual([undefined, expect.stringContaining("the tree")]);
    expect(reported.map(({ kind }) => kind)).toEqual(["gate_opened", "gate_opened", "gate_answered"]);
    const digests = reported.map((one) => ("digest" in one ? one.digest : ""));
    expect(digests[0]).not.toBe(digests[1]);
    expect(digests[2]).toBe(digests[1]);
  });

  it("is never given where the tree does not come to rest", async () => {
    trees = Array.from({ length: 1_000 }, (_, i) => `${i}`);
    const { result, reported } = await perform({}, () => Promise.resolve({ kind: "approved", by: "ann" }), {
      blueprint: shipping,
    });
    expect(result).toMatchObject({ outcome: "error" });
    expect(reported.every(({ kind }) => kind === "gate_opened")).toBe(true);
    expect(reported).toHaveLength(limits.gateOpenings);
  });

  it("stands for what is done next, and for the tree only where something is done", async () => {
    const digestIn = async (blueprint: Partial<Blueprint>, tree: string): Promise<unknown> => {
      trees = [tree];
      const { reported } = await perform({}, () => Promise.resolve({ kind: "declined", by: "ann" }), { blueprint });
      const [opened] = reported;
      return opened !== undefined && "digest" in opened ? opened.digest : null;
    };
    const other = { ...shipping, nodes: new Map([["ship", { ...ship, run: "ship it all" }]]) };
    const nothing = { ...shipping, edges: [] };
    expect(await digestIn(shipping, "one")).toBe(await digestIn(shipping, "one"));
    expect(await digestIn(shipping, "one")).not.toBe(await digestIn(shipping, "two"));
    expect(await digestIn(shipping, "one")).not.toBe(await digestIn(other, "one"));
    expect(await digestIn(nothing, "one")).toBe(await digestIn(nothing, "two"));
  });
});

describe("human", () => {
  it("opens the gate before it asks and binds the answer to what was shown", async () => {
    const template = { source: "the plan", parts: [{ text: "the plan" }] };
    let atAsk: readonly Progress[] = [];
    const { result, reported } = await perform({ show: [template] }, (question, _, before) => {
      atAsk = before;
      expect(question.evidence).toEqual(["the plan"]);
      return Promise.resolve({ kind: "approved", by: "ann" });
    });
    expect(result).toMatchObject({ outcome: "success", value: true, output: { text: "yes", bytes: 3 } });
    expect(atAsk.map((one) => one.kind)).toEqual(["gate_opened"]);
    expect(reported.map((one) => one.kind)).toEqual(["gate_opened", "gate_answered"]);
    const [opened, answered] = reported;
    expect(opened).toMatchObject({ prompt: "Go?", mode: "approval" });
    expect(answered).toMatchObject({ by: "ann", answer: true, digest: (opened as { digest: string }).digest });
  });

  it("gives another digest when another thing is shown", async () => {
    const digests = await Promise.all(
      ["plan A", "plan B"].map(async (source) => {
        const { reported } = await perform({ show: [{ source, parts: [] }] }, () =>
          Promise.resolve({ kind: "nobody" }),
        );
        return (reported[0] as { digest: string }).digest;
      }),
    );
    expect(digests[0]).not.toBe(digests[1]);
  });

  it.each<[string, Answer, object]>([
    [
      "no",
      { kind: "declined", by: "ann" },
      { outcome: "failure", reason: { code: "declined", text: "declined by ann" } },
    ],
    ["text that is no yes", { kind: "text", by: "ann", text: "no" }, { outcome: "failure", value: false }],
    ["a value that is no yes", { kind: "value", by: "ann", value: {} }, { outcome: "failure", value: false }],
    [
      "nobody",
      { kind: "nobody" },
      {
        outcome: "error",
        reason: { code: "no_terminal", text: expect.stringContaining("with --detach the run waits") },
      },
    ],
    ["the end of input", { kind: "end_of_input" }, { outcome: "error", reason: { code: "end_of_input" } }],
  ])("answers %s with its own outcome, which a retry never follows", async (_, answer, expected) => {
    const { result } = await perform({}, () => Promise.resolve(answer));
    expect(result).toMatchObject(expected);
    expect(result.beforeEffect).toBeUndefined();
  });

  it("gives typed text and a chosen option on", async () => {
    const input = await perform({ mode: "input" }, () => Promise.resolve({ kind: "text", by: "ann", text: "né" }));
    expect(input.result).toEqual({ outcome: "success", output: { text: "né", bytes: 3 } });
    const choice = await perform({ mode: "choice" }, () => Promise.resolve({ kind: "text", by: "ann", text: "ship" }));
    expect(choice.result).toMatchObject({ outcome: "success", option: "ship" });
  });

  it("takes the default when nobody answers in time, and fails without one", async () => {
    const none = await perform({ mode: "input" }, untilAborted, { timeoutMs: 5 });
    expect(none.result).toMatchObject({ outcome: "failure", reason: { code: "timeout" } });
    const text = await perform({ mode: "input", default: "main" }, untilAborted, { timeoutMs: 5 });
    expect(text.result).toMatchObject({ outcome: "success", output: { text: "main" } });
    const yes = await perform({ default: true }, untilAborted, { timeoutMs: 5 });
    expect(yes.result.outcome).toBe("success");
    const no = await perform({ default: false }, untilAborted, { timeoutMs: 5 });
    expect(no.result.outcome).toBe("failure");
  });

  it("gives no more time after a restart than was left of it", async () => {
    const clock = new ManualClock(3_000);
    let result: NodeResult | undefined;
    const asked = Promise.withResolvers<void>();
    const ask: Ask = (question, signal, reported) => (asked.resolve(), untilAborted(question, signal, reported));
    const performed = perform({}, ask, { timeoutMs: 5_000, since: 0, clock }).then((ended) => (result = ended.result));
    await asked.promise;
    clock.advance(1_999);
    await new Promise(setImmediate);
    expect(result).toBeUndefined();
    clock.advance(1);
    expect(await performed).toMatchObject({ outcome: "failure", reason: { code: "timeout" } });
  });

  it("takes an answer only from its approvers", async () => {
    const ann = await perform({ approvers: ["ann"] }, () => Promise.resolve({ kind: "approved", by: "ann" }));
    expect(ann.result.outcome).toBe("success");
    const bob = await perform({ approvers: ["ann"] }, () => Promise.resolve({ kind: "approved", by: "bob" }));
    expect(bob.result).toMatchObject({
      outcome: "error",
      reason: { text: "bob may not answer gate; its approvers are ann" },
    });
    expect(bob.reported.map((one) => one.kind)).toEqual(["gate_opened"]);
  });

  it("is refused where none of its approvers can be told from anybody else", () => {
    const missing = (approvers: readonly string[]) =>
      human.missing(
        { id: "g", type: "human", mode: "approval", prompt: { source: "", parts: [] }, approvers },
        {} as Capabilities,
        {} as Blueprint,
      );
    expect(missing(["bob", "ann"])).toBeNull();
    expect(missing(["bob", "eve"])).toContain("none of its approvers is a user here: bob, eve");
    expect(missing([])).toContain("approvers is empty");
  });

  it("gives the values of a form on, and asks for nothing that must not be seen", async () => {
    const value = { name: "Ann", age: 3 };
    const { result } = await perform({ mode: "form" }, () => Promise.resolve({ kind: "value", by: "ann", value }));
    expect(result).toMatchObject({ outcome: "success", value, output: { text: JSON.stringify(value) } });
    const fields = { pin: { type: { kind: "string" }, sensitive: true } } as const;
    const node: HumanNode = { id: "f", type: "human", mode: "form", prompt: { source: "", parts: [] }, fields };
    expect(human.missing(node, {} as Capabilities, {} as Blueprint)).toContain("pin");
    expect(human.missing({ ...node, fields: {} }, {} as Capabilities, {} as Blueprint)).toBeNull();
  });

  it("is cancelled by a stop", async () => {
    const stop = new AbortController();
    const ended = perform({}, untilAborted, { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect((await ended).result.outcome).toBe("cancelled");
  });
});
