import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noteEscalation } from "./state-file.ts";

const escalation = { taskId: "T1", node: "fix-ci", iteration: { n: 2, max: 2 }, reason: "tests still fail" };
const at = Date.UTC(2026, 0, 31, 14, 5);
const section =
  "## Minion Escalation — 01/02/2026 00:05 AEST\ntask_id: T1\nstatus: ESCALATED\nnode: fix-ci\nreason: tests still fail\n";
const records = { state: ".claude/memory/current-state.md", timezone: "Australia/Brisbane" };

let cwd: string;
let file: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "trammel-state-"));
  file = join(cwd, records.state);
});
afterEach(() => rmSync(cwd, { recursive: true }));

test("makes the file and its folder, and adds each section after an empty line", () => {
  expect(noteEscalation(escalation, records, cwd, at)).toBeNull();
  expect(noteEscalation(escalation, records, cwd, at)).toBeNull();
  expect(readFileSync(file, "utf8")).toBe(`${section}\n${section}`);
});

test.each([["# State\n"], ["# State"], ["# State\n\n"]])("keeps what stands in it: %j", (before) => {
  mkdirSync(join(cwd, ".claude/memory"), { recursive: true });
  writeFileSync(file, before);
  noteEscalation(escalation, records, cwd, at);
  expect(readFileSync(file, "utf8")).toBe(`# State\n\n${section}`);
});

test("waits for no reader of a pipe, and follows no link out of the project", () => {
  const outside = mkdtempSync(join(tmpdir(), "trammel-outside-"));
  try {
    mkdirSync(join(cwd, ".claude/memory"), { recursive: true });
    execFileSync("mkfifo", [file]);
    expect(noteEscalation(escalation, records, cwd, at)).toContain("it is no plain file");
    rmSync(file);
    writeFileSync(join(outside, "profile"), "");
    symlinkSync(join(outside, "profile"), file);
    expect(noteEscalation(escalation, records, cwd, at)).toContain("a link leads from there out of the project");
    rmSync(join(cwd, ".claude"), { recursive: true });
    symlinkSync(outside, join(cwd, ".claude"));
    expect(noteEscalation(escalation, records, cwd, at)).toContain("a link leads from there out of the project");
    expect([readdirSync(outside), readFileSync(join(outside, "profile"), "utf8")]).toEqual([["profile"], ""]);
    // Inside the project it is the author's own way.
    rmSync(join(cwd, ".claude"));
    mkdirSync(join(cwd, "notes"));
    symlinkSync("notes", join(cwd, ".claude"));
    expect(noteEscalation(escalation, records, cwd, at)).toBeNull();
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("writes nothing where no file is asked for, and says why where it cannot", () => {
  expect(noteEscalation(escalation, {}, cwd, at)).toBeNull();
  writeFileSync(join(cwd, ".claude"), "a file");
  expect(noteEscalation(escalation, records, cwd, at)).toContain(`could not be noted in ${file}`);
});
