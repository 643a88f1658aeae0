import { afterEach, beforeEach, expect, test } from "vitest";
import { RunnerBench } from "../../../test/support/runner-bench.ts";
import { limits } from "../../model/limits.ts";
import { fileBlobs } from "../blobs/files.ts";
import { findEffect, type Finding } from "./effect.ts";

let bench: RunnerBench;

beforeEach(() => {
  bench = new RunnerBench();
});

afterEach(() => bench.close());

function find(probe: string, done: string): Promise<Finding> {
  const { env } = bench.spec([]);
  const context = {
    can: { processes: bench.runner(), blobs: fileBlobs(bench.blobs) },
    cwd: bench.folder,
    environment: () => Promise.resolve(env),
    signal: new AbortController().signal,
  };
  return findEffect(context, { probe, done });
}

const filler = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' 'a' | fold -w 99`;

test.each([
  ["exit 3", "exit 3", "there"],
  ["exit 0", "exit 3", "not_there"],
  ["exit 1", "exit 0", "not_there"],
  ["exit 6", "exit 0", "unknown"],
  ["echo v2", "contains v2", "there"],
  ["echo v1", "contains v2", "not_there"],
  ["printf 'v1\\nv2\\n'", "matches ^v2$", "there"],
  ["printf 'v1\\nv20\\n'", "matches ^v2$", "not_there"],
  ["echo v1; exit 1", "contains v2", "not_there"],
  ["echo v1; exit 1", "matches v2", "not_there"],
  ["echo v2; exit 2", "contains v2", "there"],
  ["echo v2; exit 2", "matches v2", "there"],
  ["exit 2", "contains v2", "unknown"],
  ["exit 128", "matches v2", "unknown"],
  ["exit 127", "exit 127", "unknown"],
  ["kill -9 $$", "contains v2", "unknown"],
] as const)("%s, done where it %s: %s", async (probe, done, finding) => {
  expect(await find(probe, done)).toBe(finding);
});

test.each(["contains v2", "matches ^v2$"])(
  "what stands at the beginning of a long list is found (%s)",
  async (done) => {
    expect(await find(`echo v2; ${filler(4 * limits.inlineValueBytes)}`, done)).toBe("there");
    expect(await find(`echo v1; ${filler(4 * limits.inlineValueBytes)}`, done)).toBe("not_there");
  },
);

test.each(["contains v2", "matches ^v2$"])(
  "what may stand in what was dropped is not said to be missing (%s)",
  async (done) => {
    expect(await find(`${filler(limits.probeOutputBytes)}; echo v2; ${filler(limits.probeOutputBytes)}`, done)).toBe(
      "unknown",
    );
  },
);

test("a pattern that the output is too long for tells nothing", async () => {
  const long = Math.ceil(limits.patternSteps / 900) + 100;
  expect(await find(filler(long), `matches ${"b".repeat(900)}`)).toBe("unknown");
});
