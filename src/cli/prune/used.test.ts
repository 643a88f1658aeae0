import { afterEach, beforeEach, expect, it } from "vitest";
import { newRun, started, stopRequested, StoreFixture } from "../../hosts/embedded/testing.ts";
import { blobsOf, familyOf } from "./used.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

const inside = (run: string) => ({ parent: { run, node: "a", pass: 1, path: "a/", blueprint: "loop" } });

it("knows the runs inside a run, at any depth, and no others", async () => {
  const journal = store.open();
  await journal.create(newRun("outer"), "", [started("a")], 1);
  await journal.create(newRun("inner", inside("outer")), "", [started("a")], 1);
  await journal.create(newRun("inmost", inside("inner")), "", [started("a")], 1);
  await journal.create(newRun("other"), "", [started("a")], 1);
  expect(familyOf(journal, "outer").toSorted()).toEqual(["inmost", "inner", "outer"]);
  expect(familyOf(journal, "other")).toEqual(["other"]);
});

it("finds a blob by its hash and by the path of its file", async () => {
  const journal = store.open();
  const [blob, byPath] = ["a1".repeat(32), "b2".repeat(32)];
  const output = { text: "tail", bytes: 99_999, blob };
  const reason = { code: "write_scope", text: `kept as /home/x/blobs/b2/${byPath.slice(2)}` } as const;
  const at = { node: "a", pass: 1, attempt: 1 };
  await journal.create(newRun("r"), "", [started("a")], 1);
  await journal.append("r", [{ type: "node.ended", ...at, result: { outcome: "failure", output, reason } }], 2);
  await journal.append("r", [stopRequested], 3);
  expect([...blobsOf(journal, "r")].toSorted()).toEqual([blob, byPath]);
});
