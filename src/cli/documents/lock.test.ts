import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";
import { lockOf } from "./lock.ts";

it("keeps the pins of all who pin at the same moment", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-pins-"));
  const sharers = new Sharers(3);
  const pins: Record<string, string> = {};
  for (let round = 0; round < 20; round += 1) {
    const tasks = ["a", "b", "c"].map((one) => ({ [`${one}${round}.yaml`]: `${round}`.padStart(64, "0") }));
    const answers = await sharers.atOnce(...tasks.map((own) => ({ do: "pin", folder, pins: own }) as const));
    expect(answers).toEqual(["pinned", "pinned", "pinned"]);
    Object.assign(pins, ...tasks);
  }
  sharers.end();
  expect(lockOf(folder)).toEqual({ pins });
  expect(readdirSync(folder)).toEqual(["trammel.lock"]);
  rmSync(folder, { recursive: true });
});
