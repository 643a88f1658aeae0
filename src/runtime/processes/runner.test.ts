import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hourMs } from "../../../test/support/hourglass.ts";
import { RunnerBench } from "../../../test/support/runner-bench.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import type { ProcessSpec } from "../../ports/processes.ts";
import { fileBlobs } from "../blobs/files.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { ManualClock } from "../time/clock.ts";
import { isAlive } from "./identity.ts";
import { hasProcfs } from "./procfs.ts";
import { createProcessRunner } from "./runner.ts";

let bench: RunnerBench;

beforeEach(() => {
  bench = new RunnerBench();
});

afterEach(() => bench.close());

describe("how it ends", () => {
  test("exit codes are told", async () => {
    expect((await bench.sh("true")).end).toEqual({ kind: "exit", code: 0 });
    expect((await bench.sh("exit 42")).end).toEqual({ kind: "exit", code: 42 });
    expect((await bench.sh("no-such-command-xyz")).end).toEqual({ kind: "exit", code: 127 });
  });

  test("an end by signal names the signal", async () => {
    expect((await bench.sh("kill -9 $$")).end).toEqual({ kind: "signal", signal: "SIGKILL" });
    expect((await bench.sh("kill -s SEGV $$")).end).toEqual({ kind: "signal", signal: "SIGSEGV" });
  });

  test("a time-out ends the whole tree before it can do more", async () => {
    const script = "(sleep 300; touch late) & setsid sleep 300 & echo began; sleep 300";
    expect(await bench.sh(script, bench.timeIsUpAt("began"))).toMatchObject({
      end: { kind: "timeout" },
      survivors: [],
    });
    expect(bench.left()).toEqual([]);
  });

  test("a tree that ignores TERM is ended after the grace", async () => {
    let asked = Number.NaN;
    const onLine = (): void => {
      asked = performance.now();
      bench.hourglass.turn();
    };
    expect((await bench.run(["ignore-term"], { timeoutMs: hourMs, onLine })).end).toEqual({ kind: "timeout" });
    expect(performance.now() - asked).toBeGreaterThan(limits.terminationGraceMs - 1);
  });

  test("cancelled while its time is up already and it does not end, it was cancelled", async () => {
    const stop = new AbortController();
    const script = "trap 'echo asked' TERM; echo began; while :; do sleep 0.05; done";
    const onLine = (line: string): void => (line === "asked" ? stop.abort() : bench.hourglass.turn());
    expect((await bench.sh(script, { timeoutMs: hourMs, onLine }, stop.signal)).end).toEqual({ kind: "cancelled" });
  });

  test("output said after TERM is kept", async () => {
    const script = "trap 'echo cleaned; exit 3' TERM; echo began; sleep 300 & wait";
    const { output } = await bench.sh(script, bench.timeIsUpAt("began"));
    expect(output.text).toBe("began\ncleaned\n");
  });

  test("a cancel ends three at once", async () => {
    const stop = new AbortController();
    const one = bench.runner();
    const started: ProcessIdentity[] = [];
    const runs = [1, 2, 3].map(() =>
      one.run(
        bench.spec(["sleep", "60"], {
          onStart: (identity) => {
            started.push(identity);
            if (started.length === 3) stop.abort();
          },
        }),
        stop.signal,
      ),
    );
    expect((await Promise.all(runs)).map(({ end }) => end.kind)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(started.filter(isAlive)).toEqual([]);
  });

  test("cancelled before it began, nothing is started", async () => {
    const { end } = await bench.sh("touch began", {}, AbortSignal.abort());
    expect(end).toEqual({ kind: "cancelled" });
    expect(existsSync(path.join(bench.folder, "began"))).toBe(false);
  });

  test("listeners on the signal do not pile up", async () => {
    const { signal } = new AbortController();
    let added = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => ((added += 1), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => ((added -= 1), remove(...args));
    await bench.sh("true", {}, signal);
    expect(added).toBe(0);
  });
});

describe("what could not start says why", () => {
  const problem = async (argv: readonly string[], extra: Partial<ProcessSpec> = {}): Promise<string> => {
    const { end } = await bench.run(argv, extra);
    return end.kind === "could_not_start" ? end.message : `not refused: ${end.kind}`;
  };

  test("a missing command", async () => {
    expect(await problem(["no-such-command-xyz"])).toBe("no-such-command-xyz was not found on PATH");
    expect(await problem(["/no/such/command"])).toBe("/no/such/command does not exist");
    expect(await problem([])).toBe("the command is empty");
  });

  test("a missing folder is not taken for a missing command", async () => {
    const gone = path.join(bench.folder, "gone");
    expect(await problem(["true"], { cwd: gone })).toBe(
      `the working folder ${gone} does not exist or may not be entered`,
    );
    writeFileSync(gone, "");
    expect(await problem(["true"], { cwd: gone })).toBe(`the working folder ${gone} is not a folder`);
  });

  test("a file that may not be executed", async () => {
    const file = path.join(bench.folder, "plain");
    writeFileSync(file, "echo hello\n");
    expect(await problem([file])).toBe(`${file} may not be executed; check its mode`);
  });

  test("too much for the system", async () => {
    expect(await problem(["true", "x".repeat(4_000_000)])).toMatch(
      /^arguments and environment are too large for the system \(40\d{5} bytes\)/,
    );
    expect(await problem(["true"], { env: { BIG: "x".repeat(4_000_000) } })).toMatch(/too large/);
  });

  test("a NUL byte in an argument", async () => {
    expect(await problem(["echo", "a\0b"])).toMatch(/^an argument or variable holds a NUL byte/);
  });
});

describe("a tree is over when its node is", () => {
  test("a child that holds the output open does not hold the node", async () => {
    const { end, output, survivors } = await bench.run(["holds-output"]);
    expect(end).toEqual({ kind: "exit", code: 0 });
    expect(output.text).toBe("said\n");
    expect(survivors).toEqual([]);
  });

  test("what a child in the background says at once still counts", async () => {
    const parts = { blobs: fileBlobs(bench.blobs), redactor: createRedactor(), clock: new ManualClock() };
    const spec = bench.spec(["sh", "-c", "(sleep 0.05; echo second) & echo first"]);
    const { output } = await createProcessRunner(parts).run(spec, new AbortController().signal);
    expect(output.text).toBe("first\nsecond\n");
  });

  test.runIf(hasProcfs)("children in other sessions end with it", async () => {
    expect((await bench.run(["daemonize"])).survivors).toEqual([]);
    expect((await bench.sh("fork-many & sleep 0.3")).survivors).toEqual([]);
    expect((await bench.run(["hydra", "100"])).survivors).toEqual([]);
  });

  test.runIf(hasProcfs)(
    "one that escapes in the very moment of its end is caught: it is between two programs then",
    async () => {
      const escape = async (): Promise<void> => {
        for (let round = 0; round < 25; round += 1) await bench.sh("setsid -f sleep 300 </dev/null >/dev/null 2>&1");
      };
      await Promise.all([escape(), escape(), escape(), escape()]);
      expect(bench.left()).toEqual([]);
    },
  );
});

describe("input", () => {
  test("is at its end at once where none is bound", async () => {
    expect((await bench.sh("cat; wc -c")).output.text.trim()).toBe("0");
  });

  test("comes whole", async () => {
    const bytes = randomBytes(1_000_000);
    await bench.run(["sh", "-c", "cat > got"], { stdin: bytes });
    expect(execFileSync("wc", ["-c", "got"], { cwd: bench.folder, encoding: "utf8" }).trim()).toMatch(/^1000000/);
  });

  test("that nobody reads breaks nothing", async () => {
    const { end, output } = await bench.run(["closes-input"], { stdin: Buffer.alloc(1_000_000, "a") });
    expect(end).toEqual({ kind: "exit", code: 0 });
    expect(output.text).toBe("aaaaaaaaaa done\n");
    expect((await bench.run(["true"], { stdin: Buffer.alloc(1_000_000, "a") })).end).toEqual({ kind: "exit", code: 0 });
  });
});

test.runIf(process.platform === "linux")("a memory limit holds for the process", async () => {
  const eat = "kept=$(flood 100000000); echo ate ${#kept}";
  expect((await bench.sh(eat)).output.text).toBe("ate 100000005\n");
  const { end, output } = await bench.sh(eat, { memoryBytes: 50 * 1024 * 1024 });
  expect(output.text).not.toContain("ate");
  expect(end).not.toEqual({ kind: "exit", code: 0 });
});
