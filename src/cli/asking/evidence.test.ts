import { afterEach, beforeEach, expect, it } from "vitest";
import type { EventBody } from "../../model/events.ts";
import { newRun, started, StoreFixture } from "../../hosts/embedded/testing.ts";
import { limits } from "../../model/limits.ts";
import { evidenceOf } from "./evidence.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

it("finds what the first item of a map halted for, however many items came after it", async () => {
  const journal = store.open();
  const begun = (task: string): EventBody => {
    const [taskId, blueprint, cwd, hash] = ["T", "loop", "/work", "0".repeat(64)];
    const owner = newRun("x").owner;
    return {
      type: "run.started",
      taskId,
      task,
      blueprint,
      inputs: {},
      cwd,
      owner,
      contentHash: hash,
      bindingHash: hash,
    };
  };
  await journal.create(newRun("top"), "{}", [begun("top"), started("each")], 1);
  const halted: readonly EventBody[] = [
    started("do"),
    {
      type: "node.ended",
      node: "do",
      pass: 1,
      attempt: 1,
      result: { outcome: "failure", stderr: { text: "boom", bytes: 4 } },
    },
    { type: "run.halting", cause: "escalated", node: "do", reason: { code: "exit", text: "exit 1" } },
  ];
  const parent = { run: "top", node: "each", pass: 1, blueprint: "loop" };
  for (let item = 0; item <= limits.runsListed; item += 1) {
    const row = newRun(`r${item}`, { parent: { ...parent, item, path: `each[${item}]/` } });
    await journal.create(row, "{}", [begun("item"), ...(item === 0 ? halted : [])], 1);
  }
  const halt = {
    type: "run.halting",
    cause: "escalated",
    node: "each[0]/do",
    reason: { code: "exit", text: "" },
  } as const;
  expect(evidenceOf(journal, "top", halt)).toEqual(["boom"]);
});

it("is what a check said that succeeded though it should have failed", async () => {
  const journal = store.open();
  const end = (node: string, outcome: "success" | "failure", text: string): EventBody => {
    return { type: "node.ended", node, pass: 1, attempt: 1, result: { outcome, output: { text, bytes: text.length } } };
  };
  const halting = { type: "run.halting", cause: "escalated", node: "shown" } as const;
  const reason = { code: "expected_failure", text: "succeeded" } as const;
  const events = [started("a"), end("a", "failure", "first"), started("shown"), end("shown", "success", "all pass")];
  await journal.create(newRun("r"), "{}", events, 1);
  expect(evidenceOf(journal, "r", { ...halting, reason })).toEqual(["all pass"]);
  const cap = { code: "cap", text: "used up" } as const;
  expect(evidenceOf(journal, "r", { ...halting, reason: cap })).toEqual(["first"]);
  expect(evidenceOf(journal, "r", { ...halting, node: "mend", evidence: "shown", reason: cap })).toEqual(["all pass"]);
});
