import { expect, test } from "vitest";
import { escalationBlock, escalationOf, escalationSection } from "./escalation.ts";

const escalation = {
  taskId: "T-7",
  node: "fix-ci",
  iteration: { n: 2, max: 2 },
  reason: "its cap of 2 passes is used up",
};

test("the block stands byte for byte", () => {
  expect(escalationBlock(escalation, ["one\ntwo\n"])).toBe(
    "BLUEPRINT_ESCALATION\n" +
      "task_id: T-7\n" +
      "node: fix-ci\n" +
      "iteration: 2/2\n" +
      "reason: its cap of 2 passes is used up\n" +
      "evidence: one\n" +
      "two\n" +
      "next_action: Human review required — do not retry automatically\n",
  );
});

test.each([
  ["nothing said", "", "(no output)"],
  ["only blanks", " \n\t\n", "(no output)"],
  ["six lines", "1\n2\n3\n4\n5\n6\n", "2\n3\n4\n5\n6"],
  ["an empty line inside", "a\n\nb", "a\n\nb"],
  ["colours and titles", "\u001b[31mred\u001b[0m \u001b]0;title\u0007text", "red text"],
  ["a progress line", "10%\r\n20%\rdone", "10%\n20%\ndone"],
])("evidence of %s", (_, output, shown) => {
  expect(escalationBlock(escalation, [output])).toContain(`\nevidence: ${shown}\nnext_action: `);
});

test.each([
  ["1\n2\n3\n4", "a\nb\nc\nd", "3\n4\nb\nc\nd"],
  ["1\n2\n3\n4", "a", "1\n2\n3\n4\na"],
  ["1", "a\nb\nc\nd\ne", "1\nb\nc\nd\ne"],
  ["same", "same", "same\nsame"],
  ["", "a\nb\nc\nd\ne\nf", "b\nc\nd\ne\nf"],
  ["1\n2\n3\n4\n5\n6", "", "2\n3\n4\n5\n6"],
  ["", "", "(no output)"],
])("two failures share five lines: %j and %j", (earlier, later, shown) => {
  expect(escalationBlock(escalation, [earlier, later])).toContain(`\nevidence: ${shown}\nnext_action: `);
});

test("a reason of several lines is one line", () => {
  expect(escalationBlock({ ...escalation, reason: "lint\nfailed:\t\u001b[1mexit 1" }, [""])).toContain(
    "\nreason: lint failed: exit 1\n",
  );
});

test("the section of the state file is dated in its zone, with the zone's name", () => {
  const at = Date.UTC(2026, 0, 31, 14, 5); // summer, when Brisbane keeps AEST
  expect(escalationSection(escalation, at, "Australia/Brisbane")).toBe(
    "## Minion Escalation — 01/02/2026 00:05 AEST\n" +
      "task_id: T-7\n" +
      "status: ESCALATED\n" +
      "node: fix-ci\n" +
      "reason: its cap of 2 passes is used up\n",
  );
  expect(escalationSection(escalation, at, "Australia/Sydney")).toContain("01/02/2026 01:05 AEDT\n");
  expect(escalationSection(escalation, at, "UTC")).toContain("31/01/2026 14:05 UTC\n");
});

test("only an escalated halt is an escalation; a node without a cap counts as 1/1", () => {
  const reason = { code: "exit", text: "exit 1" } as const;
  expect(escalationOf("T", { type: "run.halting", cause: "limit", node: "a", reason })).toBeNull();
  expect(escalationOf("T", { type: "run.halting", cause: "escalated", node: "a", reason })).toEqual({
    taskId: "T",
    node: "a",
    iteration: { n: 1, max: 1 },
    reason: "exit 1",
  });
});
