import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";
import { addPins, lockBeside, lockOf } from "./lock.ts";

it("keeps the pins of all who pin at the same moment", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-pins-"));
  const sharers = new Sharers(3);
  const pins = new Map<string, string>();
  for (let round = 0; round < 20; round += 1) {
    const tasks = ["a", "b", "c"].map((one) => ({ [`${one}${round}.yaml`]: `${round}`.padStart(64, "0") }));
    const answers = await sharers.atOnce(...tasks.map((own) => ({ do: "pin", folder, pins: own }) as const));
    expect(answers).toEqual(["pinned", "pinned", "pinned"]);
    for (const [reference, hash] of tasks.flatMap((own) => Object.entries(own))) pins.set(reference, hash);
  }
  sharers.end();
  expect(lockOf(folder)).toEqual({ pins });
  expect(readdirSync(folder)).toEqual(["trammel.lock"]);
  rmSync(folder, { recursive: true });
});

it("takes a link that leads to nothing for a lock that cannot be read, not for none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-pins-"));
  symlinkSync("nowhere", join(folder, "trammel.lock"));
  const told = { message: expect.stringMatching(/trammel\.lock cannot be read: it is a link that leads to nothing$/) };
  expect(lockOf(folder)).toMatchObject(told);
  expect(lockBeside(join(folder, "top.yaml"), "type: call")).toMatchObject(told);
  expect(await addPins(folder, new Map())).toMatchObject(told);
  rmSync(folder, { recursive: true });
});

it("keeps a pin of whatever a callee is called", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-pins-"));
  const pins = new Map(["__proto__", "constructor"].map((reference) => [reference, "0".repeat(64)]));
  expect(await addPins(folder, pins)).toEqual({ pins: new Map() });
  expect(lockOf(folder)).toEqual({ pins });
  rmSync(folder, { recursive: true });
});
