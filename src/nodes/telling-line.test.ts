import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { limits } from "../model/limits.ts";
import { tellingLine } from "./telling-line.ts";

const text = (said: string) => ({ text: said, bytes: said.length });

function told(stderr: string, stdout = ""): string {
  return tellingLine({ stdout: text(stdout), stderr: text(stderr) });
}

test.each<[string, string]>([
  ['throw new Error("no way")', "Error: no way"],
  ['throw Object.assign(new TypeError("bad"), { code: "E_BAD", list: ["a"], deep: { b: 1 } })', "TypeError: bad"],
  ['require("node:fs").readFileSync("/nowhere/x")', "Error: ENOENT: no such file or directory, open '/nowhere/x'"],
  ['Promise.reject(new RangeError("late"))', "RangeError: late"],
  ["foo(", "SyntaxError: Unexpected end of input"],
  ['throw "plain"', "plain"],
])("of what Node itself says of %s it is the message", (program, message) => {
  const { stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
  expect(stderr).toContain("Node.js v");
  expect(told(stderr)).toBe(message);
});

const rustc = `error[E0425]: cannot find value \`x\` in this scope
 --> src/main.rs:1:24
  |
1 | fn main(){ let v: u32 = x; }
  |                         ^ not found in this scope

For more information about this error, try \`rustc --explain E0425\`.
error: could not compile \`a\` (bin "a") due to 1 previous error
`;

const go = `panic: boom

goroutine 1 [running]:
main.work(...)
\t/src/main.go:6
main.main()
\t/src/main.go:4 +0x25
exit status 2
`;

const npm = `npm error code ENOENT
npm error syscall open
npm error path /x/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-30T00_00_00_000Z-debug-0.log
`;

const python = `Traceback (most recent call last):
  File "p.py", line 3, in <module>
    f()
ValueError: bad value
`;

test.each<[string, string, string]>([
  ["rustc", rustc, "error[E0425]: cannot find value `x` in this scope"],
  ["a panic of Rust", "thread 'main' panicked at a.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1` …\n", "boom"],
  ["a panic of Go", go, "panic: boom"],
  [
    "npm",
    npm,
    "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'",
  ],
  ["npm test", "main: nothing to test\nnpm ERR! Test failed.  See above for more details.\n", "main: nothing to test"],
  ["make", "cc: fatal error: no input files\nmake: *** [Makefile:2: all] Error 4\n", "cc: fatal error: no input files"],
  ["Python", python, "ValueError: bad value"],
  ["Git", "fatal: not a git repository\n", "fatal: not a git repository"],
  ["a shell", "working\nsh: 1: cd: can't cd to x\n\n", "sh: 1: cd: can't cd to x"],
  ["colours and progress", "10%\r\u001b[31mdisk is full\u001b[0m\r\n", "disk is full"],
])("of what %s says it is the line that says why", (_, stderr, line) => {
  expect(told(stderr)).toBe(line);
});

const pytest = `E       assert 1 == 2
=========================== short test summary info ============================
FAILED test_x.py::test_a - assert 1 == 2
============================== 1 failed in 0.02s ===============================
`;

test("where stderr says nothing it is what a test runner printed, but no answer that speaks of no failure", () => {
  expect(told("", pytest)).toBe("FAILED test_x.py::test_a - assert 1 == 2");
  expect(
    told("", "--- FAIL: TestA (0.00s)\n    a_test.go:5: 1 is not 2: failed\nFAIL\nexit status 1\nFAIL\ta\t0.1s\n"),
  ).toBe("a_test.go:5: 1 is not 2: failed");
  expect(told("", "E42\n")).toBe("");
  expect(told("why\n", pytest)).toBe("why");
});

test("where there is nothing else it is the last line all the same, and a long one is cut", () => {
  expect(told("make: *** [a] Error 1\n")).toBe("make: *** [a] Error 1");
  expect(told("")).toBe("");
  expect(told("x".repeat(limits.reasonCharacters + 1))).toBe(`${"x".repeat(limits.reasonCharacters)}…`);
});

test.each<[string, string]>([
  ["like a frame of Go", `${".".repeat(300)}${"(".repeat(300)}`],
  ["written over again and again", `${"\r".repeat(200_000)}x`],
  ["of spaces", `${" ".repeat(599)}x`],
])("a line %s takes no time", (_, line) => {
  const began = process.cpuUsage();
  expect(told(`${line}\nexit status 1\n`)).not.toBe("exit status 1");
  const { user, system } = process.cpuUsage(began);
  expect(user + system).toBeLessThan(100_000);
});
