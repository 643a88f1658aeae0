import { describe, expect, test } from "vitest";
import type { JournalEvent, NodeSettled, ParentLink } from "../../model/events.ts";
import { Nodes } from "../memory/nodes.ts";
import { decisionFor } from "./decision.ts";

type Inner = NonNullable<NodeSettled["inside"]>;

const parent: ParentLink = { run: "around", node: "each", pass: 1, item: 2, blueprint: "m", path: "each[2]/" };

function settled(node: string, more: Partial<NodeSettled>): NodeSettled {
  return { type: "node.settled", node, pass: 1, attempt: 1, as: "again", by: "ann", ...more };
}

/** What the run of item 2 is still to be told, of these decisions; `taken` are those in its journal. */
function left(decided: readonly Inner[], taken: readonly NodeSettled[]) {
  const nodes = new Nodes();
  for (const inside of decided) nodes.take(settled("each", { inside }), 1);
  const events = taken.map((body, i): JournalEvent => ({ run: "inner", seq: i + 1, at: 1, hash: "", body }));
  return decisionFor({ run: "inner", parent }, { nodes }, { read: () => events });
}

const of = (node: string, id?: string): Inner => ({
  node,
  as: "again",
  by: "ann",
  ...(id === undefined ? {} : { id }),
});

describe("a decision about a run inside", () => {
  test("is handed on once, whoever else decided alike", () => {
    expect(left([of("[2]/a", "d1")], [])).toMatchObject({ id: "d1", node: "a" });
    expect(left([of("[2]/a", "d1")], [settled("a", { id: "d0" })])).toMatchObject({ id: "d1" });
    expect(left([of("[2]/a", "d1")], [settled("a", { id: "d1" })])).toBeUndefined();
    expect(left([of("[1]/a", "d1")], [])).toBeUndefined();
  });

  test("that an earlier version recorded without an id is not handed on again under the id that it was given then", () => {
    expect(left([of("[2]/a")], [])).toMatchObject({ node: "a" });
    expect(left([of("[2]/a")], [settled("a", { id: "new" })])).toBeUndefined();
    expect(left([of("[2]/call/a")], [settled("call", { id: "new" })])).toBeUndefined();
  });

  test("that an earlier version recorded is not taken for one about another node", () => {
    expect(left([of("[2]/b")], [settled("a", {})])).toMatchObject({ node: "b" });
  });
});
