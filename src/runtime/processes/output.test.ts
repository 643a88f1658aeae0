import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunnerBench } from "../../../test/support/runner-bench.ts";
import { SmallDisk } from "../../../test/support/small-disk.ts";
import { limits } from "../../model/limits.ts";
import type { ProcessResult, ProcessSpec } from "../../ports/processes.ts";

const never = new AbortController().signal;
let bench: RunnerBench;

beforeEach(() => {
  bench = new RunnerBench();
});

afterEach(() => bench.close());

/** Lets a script know that a line of it has come. */
const hear = (line: string): void => writeFileSync(path.join(bench.folder, `heard-${line}`), "");

const heard = (line: string): string => `until [ -e heard-${line} ]; do sleep 0.01; done`;

describe("output", () => {
  test("comes joined in order and apart", async () => {
    const script = `echo a; ${heard("a")}; echo b >&2; ${heard("b")}; echo c`;
    const { output, stdout, stderr } = await bench.sh(script, { onLine: hear });
    expect(output).toEqual({ text: "a\nb\nc\n", bytes: 6 });
    expect(stdout.text).toBe("a\nc\n");
    expect(stderr.text).toBe("b\n");
  });

  test("a character whose bytes come apart is whole, also between two streams", async () => {
    const apart = await bench.sh(`printf 'a\\n\\303'; ${heard("a")}; printf '\\251'`, { onLine: hear });
    expect(apart.output.text).toBe("a\né");
    const script = `printf 'a\\n\\303'; ${heard("a")}; echo x >&2; ${heard("x")}; printf '\\251'`;
    expect((await bench.sh(script, { onLine: hear })).output.text).toBe("a\nx\né");
  });

  test("a character across the 64 KiB border is whole", async () => {
    for (const before of [65533, 65534, 65535]) {
      const result = await bench.run(["emoji-at-border", String(before)]);
      expect(result.output.text.endsWith("x😀end")).toBe(true);
      expect((await bench.whole(result)).subarray(before).toString()).toBe("😀end");
    }
  });

  test("binary becomes text that JSON can hold; the blob keeps the bytes", async () => {
    const small = await bench.sh("printf '\\377\\000x'");
    expect(small.output.text).toBe("\uFFFD\0x");
    expect([...(await bench.whole(small))]).toEqual([255, 0, 120]);
    expect((await bench.sh("printf '\\357\\277\\275'")).output).toEqual({ text: "\uFFFD", bytes: 3 });
    const bytes = randomBytes(100_000);
    writeFileSync(path.join(bench.folder, "in"), bytes);
    expect(await bench.whole(await bench.sh("cat in"))).toEqual(bytes);
  });

  test("8 MB and a TAIL: the end is at hand, all of it in the store", async () => {
    const result = await bench.run(["flood", "8000000"]);
    expect(result.output.bytes).toBe(8_000_006);
    expect(result.output.cut).toBeUndefined();
    expect(result.output.text.endsWith("x\nTAIL\n")).toBe(true);
    expect(Buffer.byteLength(result.output.text)).toBe(limits.inlineValueBytes);
    expect(result.output.blob).toBe(result.stdout.blob);
    expect((await bench.whole(result)).length).toBe(8_000_006);
  });

  test("beyond the limit the beginning and the end are kept, with a mark", async () => {
    const result = await bench.sh("printf ééé; flood 3000000", { outputBytes: 1_000_005 });
    expect(result.output).toMatchObject({ cut: true, bytes: 3_000_012 });
    const kept = (await bench.whole(result)).toString();
    expect(kept.startsWith("éééx")).toBe(true);
    expect(kept.endsWith("xx\nTAIL\n")).toBe(true);
    expect(kept).toMatch(/x\n\[… \d+ bytes cut; limits\.output keeps more …\]\nx/);
    expect(Buffer.byteLength(kept)).toBeLessThan(1_000_200);
  });

  test.each([1, 2, 3, 5, 8, 100])("a limit of %i bytes cuts no character", async (outputBytes) => {
    const { output } = await bench.sh("printf 'ééééééééééééééé😀é%0300d' 7", { outputBytes });
    expect(output).toMatchObject({ cut: true, bytes: 336 });
    expect(output.text).not.toContain("\uFFFD");
    expect("7".endsWith(output.text.at(-1) ?? "7")).toBe(true);
  });

  test("memory stays flat whatever is written", async () => {
    const before = process.memoryUsage().rss;
    const { output } = await bench.run(["flood", "300000000"], { outputBytes: 10_000_000 });
    expect(output.bytes).toBe(300_000_006);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test("lines are told as they come: bounded, and the last state of one that overwrites itself", async () => {
    const lines: string[] = [];
    const onLine = (line: string, stream: string): number => lines.push(`${stream}: ${line}`);
    await bench.sh("printf '10%%\\r99%%\\r\\n'; echo warn >&2; flood 10000; printf open", { onLine });
    expect(lines.map((line) => line.slice(0, 40)).toSorted()).toEqual(
      ["stdout: 99%", "stderr: warn", `stdout: ${"x".repeat(32)}`, "stdout: TAIL", "stdout: open"].toSorted(),
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(limits.previewBytes + 8);
  });
});

describe("secrets", () => {
  const secret = "canary-7f3a/+é";
  const masked = async (script: string, extra: Partial<ProcessSpec> = {}): Promise<ProcessResult> =>
    bench.runner([secret]).run(bench.spec(["sh", "-c", script], { env: { SECRET: secret }, ...extra }), never);

  test("never leave a process unmasked, in no form, in no piece", async () => {
    const lines: string[] = [];
    const result = await masked(
      'echo "$SECRET"; printf %s "$SECRET" | base64; printf "%s" "$SECRET" | od -An -tx1 | tr -d " \\n"; echo',
      {
        onLine: (line) => lines.push(line),
      },
    );
    expect(result.output.text).toBe("***\n***\n***\n");
    expect(result.stdout.text).toBe("***\n***\n***\n");
    expect(lines).toEqual(["***", "***", "***"]);
  });

  test("split over time, and over both streams", async () => {
    const begun = `printf 'a\\ncanary-'; ${heard("a")}; printf '7f3a/+é'`;
    const { output, stdout } = await masked(begun, { onLine: hear });
    expect(output.text).toBe("a\n***");
    expect(stdout.text).toBe("a\n***");
    const both = await masked(`${begun} >&2`, { onLine: hear });
    expect(both.output.text).not.toContain(secret);
  });

  test("in text large enough for the store", async () => {
    const result = await masked('flood 65530; echo "$SECRET"; flood 100000');
    const kept = (await bench.whole(result)).toString();
    expect(kept).toContain("\nTAIL\n***\nxx");
    expect(kept).not.toContain("canary");
  });
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("a full disk", () => {
  let disk: SmallDisk;
  let small: string;

  beforeAll(() => {
    small = mkdtempSync(path.join(tmpdir(), "trammel-full-"));
    disk = new SmallDisk(small, "1m");
    mkdirSync(path.join(small, "blobs"));
  });

  afterAll(() => {
    disk[Symbol.dispose]();
    rmSync(small, { recursive: true });
  });

  test("ends the process, says so, and keeps the end of what it said", async () => {
    const { end, output, survivors } = await bench
      .runner([], path.join(small, "blobs"))
      .run(bench.spec(["sh", "-c", "flood 3000000; sleep 300"]), never);
    expect(end).toEqual({
      kind: "spill",
      message: expect.stringMatching(/^no space left in .*blobs; free some, or move TRAMMEL_HOME$/),
    });
    expect(output.cut).toBe(true);
    expect(output.text.endsWith("x")).toBe(true);
    expect(survivors).toEqual([]);
  });
});
