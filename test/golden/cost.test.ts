import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { documents } from "./cost/documents.ts";

interface Measured {
  readonly took: readonly { readonly ms: number; readonly problems: number }[];
  readonly peakMiB: number;
}

async function measure(kind: keyof typeof documents, sizes: readonly number[]): Promise<Measured> {
  const script = join(import.meta.dirname, "../fixtures/measure-check.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, kind, ...sizes.map(String)]);
  return JSON.parse(stdout) as Measured; // what measure-check.ts writes
}

describe("a document four times as long costs no more than seven times as much", () => {
  const kinds = Object.keys(documents) as (keyof typeof documents)[]; // keys of a constant
  test.each(kinds)("%s", async (kind) => {
    const { took } = await measure(kind, [1_000, 1_000, 1_000, 4_000, 4_000, 4_000]);
    const times = took.map(({ ms }) => ms);
    // Whatever else is at work can only add to the processor time of a round.
    expect(Math.min(...times.slice(3)) / Math.min(...times.slice(0, 3))).toBeLessThan(7);
    expect(took.every(({ problems }) => problems <= limits.diagnosticsPerFile)).toBe(true);
  });
});

test("what is just short of too much for one file takes no more memory than a large file that is right", async () => {
  const { took, peakMiB } = await measure("one list", [Math.floor(limits.documentTokens / 30) - 10]);
  expect(took).toMatchObject([{ problems: 1 }]);
  expect(peakMiB).toBeLessThan(640);
});
