import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";
import { BoxRecords } from "./records.ts";

it("is whole whoever writes it at the same moment", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-records-"));
  const sharers = new Sharers(3);
  const record = { version: 1, id: "b", run: "r", node: "n", owner: "1", driver: "bubblewrap" } as const;
  const spec = { image: "host", mounts: [] };
  const tasks = [1, 40, 300].map((count) => {
    const forward = Array.from({ length: count }, (_, n) => `NAME_${n}`);
    return { do: "box" as const, folder, record: { ...record, spec, forward, checkouts: [] }, times: 100 };
  });
  expect(await sharers.atOnce(...tasks)).toEqual(["kept", "kept", "kept"]);
  sharers.end();
  expect(readdirSync(join(folder, "records"))).toEqual(["b.json"]);
  rmSync(folder, { recursive: true });
});

it("goes with what a killed writer of it left half made, and nothing of another", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-records-"));
  const names = ["b.json", "b.json.1-2.new", "b.json.1-3.new", "b2.json.1-4.new", "bb.json"];
  mkdirSync(join(folder, "records"));
  for (const name of names) writeFileSync(join(folder, "records", name), "{");
  await new BoxRecords(folder).remove("b");
  expect(readdirSync(join(folder, "records")).sort()).toEqual(["b2.json.1-4.new", "bb.json"]);
  rmSync(folder, { recursive: true });
});
