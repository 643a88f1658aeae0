import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { documents } from "./cost/documents.ts";

interface Measured {
  readonly took: readonly { readonly ms: number; readonly problems: number }[];
  readonly peakMiB: number;
}

function measure(kind: keyof typeof documents, sizes: readonly number[]): Measured {
  const script = join(import.meta.dirname, "../fixtures/measure-check.ts");
  const said = execFileSync(process.execPath, [script, kind, ...sizes.map(String)], { encoding: "utf8" });
  return JSON.parse(said) as Measured; // what measure-check.ts writes
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe("a document four times as long costs no more than seven times as much", () => {
  const kinds = Object.keys(documents) as (keyof typeof documents)[]; // keys of a constant
  test.each(kinds)("%s", { timeout: 120_000 }, (kind) => {
    const { took } = measure(kind, [...Array<number>(5).fill(1_000), ...Array<number>(5).fill(4_000)]);
    const times = took.map(({ ms }) => ms);
    expect(median(times.slice(5)) / median(times.slice(0, 5))).toBeLessThan(7);
    expect(took.every(({ problems }) => problems <= limits.diagnosticsPerFile)).toBe(true);
  });
});

test("what is just short of too much for one file takes no more memory than a large file that is right", { timeout: 120_000 }, () => {
  const { took, peakMiB } = measure("one list", [Math.floor(limits.documentTokens / 3) - 100]);
  expect(took).toMatchObject([{ problems: 1 }]);
  expect(peakMiB).toBeLessThan(640);
});
