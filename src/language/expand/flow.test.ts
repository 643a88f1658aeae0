import { describe, expect, test } from "vitest";
import { check } from "../../check/check.ts";
import type { Blueprint } from "../../model/blueprint.ts";

const nodes = `nodes:
  a: {type: script, run: npm test}
  b: {type: script, run: npm run lint}
  c: {type: script, run: npm ci}
  d: {type: script, run: npm pack}
  mend: {type: agent, prompt: "Mend {a}"}
`;

function expanded(flow: string): Blueprint {
  const { blueprint, diagnostics } = check(`name: example\nflow: "${flow}"\n${nodes}`);
  if (blueprint === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return blueprint;
}

function edges(flow: string): readonly string[] {
  return expanded(flow).edges.map(({ from, to, when }) => `${from} ${when} ${to}`);
}

describe("a flow expands to edges", () => {
  test("an arrow is a success edge", () => {
    expect(edges("a -> b→c")).toEqual(["a success b", "b success c"]);
  });

  test("a bracket runs when the check fails, and the check runs again", () => {
    expect(edges("a -> [mend] -> c")).toEqual(["a failure mend", "mend success a", "a success c"]);
  });

  test("a bracket may stand last", () => {
    expect(edges("a -> [mend]")).toEqual(["a failure mend", "mend success a"]);
  });

  test("a group runs side by side", () => {
    expect(edges("a -> (b & c) -> d")).toEqual(["a success b", "a success c", "b success d", "c success d"]);
  });

  test("any of a group fails: the bracket, then the whole group again", () => {
    expect(edges("a -> (b & c) -> [mend] -> d").slice(2)).toEqual([
      "b failure mend",
      "mend success b",
      "c failure mend",
      "mend success c",
      "b success d",
      "c success d",
    ]);
  });

  test("a name that is used again is a node of its own with the same definition", () => {
    const { nodes: all, entry } = expanded("a -> b -> a -> a");
    expect([...all.keys()].filter((id) => id.startsWith("a"))).toEqual(["a", "a#2", "a#3"]);
    expect(all.get("a#3")).toMatchObject({ id: "a#3", type: "script", run: "npm test" });
    expect(entry).toBe("a");
  });

  test("a deterministic bracket has cap 1, elsewhere the same node has none", () => {
    const { nodes: all } = expanded("a -> [b] -> c -> b");
    expect(all.get("b")?.cap).toBe(1);
    expect(all.get("b#2")?.cap).toBeUndefined();
  });

  test("END may stand last, in any case", () => {
    expect(edges("a -> b -> END")).toEqual(["a success b"]);
    expect(edges("a -> [mend] -> end")).toEqual(["a failure mend", "mend success a"]);
    expect(() => expanded("a -> END -> b")).toThrow("Expected the end: END closes the flow, but found `->`");
  });

  test("one node is a flow", () => {
    expect(expanded("a")).toMatchObject({ entry: "a", edges: [] });
  });
});
