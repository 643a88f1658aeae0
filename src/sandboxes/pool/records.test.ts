import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";

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
