import { expect, test } from "vitest";
import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode, ScriptNode } from "../model/node.ts";
import type { Answer, Question } from "../ports/gate.ts";
import type { ActionContext, Approval, Performer, Progress } from "../ports/performer.ts";
import { limits } from "../model/limits.ts";
import { systemClock } from "../runtime/time/clock.ts";
import { holdToApprovals } from "./approval.ts";
import { questionOf } from "./question.ts";

const mask = (text: string): string => text;
const ship: ScriptNode = { id: "ship", type: "script", run: "ship it" };
const gateOf = (id: string, approvers: readonly string[]): HumanNode => ({
  id,
  type: "human",
  mode: "approval",
  prompt: { source: `${id}?`, parts: [{ text: `${id}?` }] },
  approvers,
});
const gates = [gateOf("law", ["ann"]), gateOf("money", ["bob"])];
const blueprint = {
  nodes: new Map([ship, ...gates].map((node) => [node.id, node])),
  edges: gates.map(({ id }) => ({ from: id, to: "ship", when: "success" })),
};

interface Recording {
  readonly recorded: (began: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
  /** What an earlier attempt of the pass, which may have begun, was to do. */
  readonly begun: ScriptNode;
  /** Whether what was approved was recorded with what it is over, as an earlier version did not. */
  readonly told: boolean;
}

/**
 * Performs what follows two gates that were answered while the tree was "one"; `began` is what it found the tree to be.
 */
async function perform(
  tree: { now: string },
  answer: (question: Question) => Answer,
  answered: () => void = () => undefined,
  {
    recorded = () => Promise.resolve(),
    signal = new AbortController().signal,
    begun,
    told = true,
  }: Partial<Recording> = {},
) {
  const reported: Progress[] = [];
  const began: string[] = [];
  const asked: string[] = [];
  const shared = {
    run: "r",
    blueprint: blueprint as unknown as Blueprint,
    values: { text: (template: { readonly source: string }) => Promise.resolve(template.source) },
  } as unknown as ActionContext;
  const approvals: Approval[] = [];
  for (const gate of gates) {
    const nodes = new Map([...blueprint.nodes, [ship.id, begun ?? ship]]);
    const before = { ...shared, blueprint: { ...shared.blueprint, nodes } };
    const { digest, over } = await questionOf(before, gate, 1, { treeOf: () => Promise.resolve("one"), mask });
    approvals.push({ gate, pass: 1, digest, ...(told && { over }), ...(begun !== undefined && { begun: true }) });
  }
  const context: ActionContext = {
    ...shared,
    node: ship,
    approvals,
    signal,
    recorded: () => recorded(began),
    report(progress) {
      reported.push(progress);
      if (progress.kind === "gate_answered") answered();
    },
    can: {
      ...shared.can,
      gates: {
        ask(question) {
          asked.push(question.node);
          return Promise.resolve(answer(question));
        },
      },
    },
  };
  const performer: Performer = {
    type: "script",
    class: "deterministic",
    missing: () => null,
    perform() {
      began.push(tree.now);
      return Promise.resolve({ outcome: "success" });
    },
  };
  const hold = holdToApprovals({ clock: systemClock, treeOf: () => Promise.resolve(tree.now), mask });
  return { result: await hold(performer).perform(context), reported, began, asked };
}

const yes = ({ node }: Question): Answer => ({ kind: "approved", by: node === "law" ? "ann" : "bob" });

test("every gate before a node has approved the tree that it begins with, though that changed while another was asked again", async () => {
  const tree = { now: "two" };
  let changes = 1;
  const { result, began, asked } = await perform(tree, (question) => {
    if (question.node === "money" && changes-- > 0) tree.now = "three";
    return yes(question);
  });
  expect(result.outcome).toBe("success");
  expect(asked).toEqual(["law", "money", "money", "law"]);
  expect(began).toEqual(["three"]);
});

test("nobody is asked again where nothing changed, and whoever is asked is told for which gate", async () => {
  const { began, asked } = await perform({ now: "one" }, yes);
  expect([began, asked]).toEqual([["one"], []]);
  const { reported } = await perform({ now: "two" }, yes);
  expect(reported.flatMap((one) => (one.kind === "gate_opened" ? [one.of] : []))).toEqual(["law", "money"]);
});

test("what may have begun may have changed the tree, and is asked about again where it does something else now", async () => {
  const { began, asked } = await perform({ now: "two" }, yes, undefined, { begun: ship });
  expect([began, asked]).toEqual([["two"], []]);
  const changed = await perform({ now: "one" }, yes, undefined, { begun: { ...ship, run: "ship something else" } });
  expect([changed.began, changed.asked]).toEqual([["one"], ["law", "money"]]);
});

test("what may have begun is asked about again where nobody knows what was approved", async () => {
  const { began, asked } = await perform({ now: "two" }, yes, undefined, { begun: ship, told: false });
  expect([began, asked]).toEqual([["two"], ["law", "money"]]);
});

test("it does not begin where the tree changes after every yes", async () => {
  const tree = { now: "two" };
  const { result, began, asked } = await perform(tree, yes, () => (tree.now += "!"));
  expect([result.outcome, result.reason?.text]).toEqual(["error", expect.stringContaining("was asked 20 times")]);
  expect([began, asked.length]).toEqual([[], limits.gateOpenings]);
});

test("why it does not begin is what happened: a no, a stranger, or nobody to ask", async () => {
  const said = async (answer: Answer): Promise<unknown> => {
    const { result, began } = await perform({ now: "two" }, () => answer);
    expect([began, result.beforeEffect]).toEqual([[], true]);
    return [result.outcome, result.reason?.text];
  };
  expect(await said({ kind: "declined", by: "ann" })).toEqual(["failure", "declined by ann"]);
  expect(await said({ kind: "approved", by: "eve" })).toEqual([
    "error",
    "eve may not answer law; its approvers are ann",
  ]);
  expect(await said({ kind: "nobody" })).toEqual(["error", expect.stringContaining("nobody can be asked again here")]);
});

test("it begins once the yes is recorded, and not at all where that never is", async () => {
  const found: number[] = [];
  const recorded = (began: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        found.push(began.length);
        resolve();
      });
    });
  const { began } = await perform({ now: "two" }, yes, undefined, { recorded });
  expect([found, began]).toEqual([[0, 0], ["two"]]);
  const stopping = new AbortController();
  const lost = async (): Promise<void> => stopping.abort();
  const stopped = await perform({ now: "two" }, yes, undefined, { recorded: lost, signal: stopping.signal });
  expect([stopped.result.outcome, stopped.began]).toEqual(["cancelled", []]);
});
