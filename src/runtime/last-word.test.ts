import { expect, it } from "vitest";
import { check } from "../check/check.ts";
import type { NodeResult } from "../model/outcome.ts";
import { LastWord } from "./last-word.ts";

/** Who speaks for a run of these edges, told from what began (`a+`) and what ended (`a`, `a cancelled`), in order. */
function speaker(graph: string, told: readonly string[], succeeded = true): string | null {
  const names = [...new Set(graph.match(/[a-z]/g))];
  const nodes = names.map((name) => `  ${name}: {type: script, run: ls${name === "j" ? ", join: any" : ""}}\n`);
  const edges = graph.split(" ").map((edge) => `  - {from: ${edge[0]}, to: ${edge[1]}}\n`);
  const { blueprint } = check(
    `name: t\nentry: s\nfinally: z\nnodes:\n${nodes.join("")}  z: {type: script, run: ls}\nedges:\n${edges.join("")}`,
  );
  if (blueprint === null) throw new Error("the blueprint has problems");
  const word = new LastWord(blueprint);
  for (const one of told) {
    const [node = "", outcome = "success"] = one.replace("+", "").split(" ");
    const attempt = { node, pass: 1, attempt: 1 };
    if (one.endsWith("+")) word.take({ type: "node.started", ...attempt, step: 1, from: [] });
    else word.take({ type: "node.ended", ...attempt, result: { outcome: outcome as NodeResult["outcome"] } });
  }
  return word.of(succeeded)?.node ?? null;
}

it("is the node that ended last", () => {
  expect(speaker("sa ab", ["s", "a", "b"])).toBe("b");
  expect(speaker("sa ab", [])).toBeNull();
});

it.each([
  ["cancelled", "b cancelled"],
  ["drained", "b"],
])("is no arm that was %s after the join that did not need it", (_, late) => {
  const race = "sa sb sc cb aj bj jk";
  expect(speaker(race, ["s", "a", "j+", "j", "k+", "k", "c", late])).toBe("k");
  expect(speaker(race, ["s", "c", "b", "a", "j+", "j"])).toBe("j");
});

it("is not the node of `finally`, unless it is the only one", () => {
  expect(speaker("sa", ["s", "a", "z"])).toBe("a");
  expect(speaker("sa", ["z"])).toBe("z");
});

it("is whatever ended last where the run did not succeed", () => {
  expect(speaker("sa sb aj bj", ["s", "a", "j+", "j failure", "b cancelled"], false)).toBe("b");
});
