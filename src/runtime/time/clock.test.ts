import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasProcfs } from "../processes/procfs.ts";
import { ManualClock, systemClock } from "./clock.ts";

const clocks = [
  {
    name: "system",
    make: () => ({ clock: systemClock, pass: (ms: number) => new Promise((done) => setTimeout(done, ms)) }),
  },
  {
    name: "manual",
    make: () => {
      const clock = new ManualClock(1_000);
      return { clock, pass: (ms: number) => Promise.resolve(clock.advance(ms)) };
    },
  },
];

describe.each(clocks)("$name clock", ({ make }) => {
  test("calls back once, in order of time", async () => {
    const { clock, pass } = make();
    const called: string[] = [];
    const all = new Promise<void>((done) => {
      clock.after(20, () => {
        called.push("late");
        done();
      });
    });
    clock.after(1, () => called.push("early"));
    await pass(60);
    await all;
    expect(called).toEqual(["early", "late"]);
  });

  test("a cancelled timer stays silent", async () => {
    const { clock, pass } = make();
    const called: string[] = [];
    clock.after(1, () => called.push("cancelled"))();
    const sentinel = new Promise<void>((done) => clock.after(10, done));
    await pass(30);
    await sentinel;
    expect(called).toEqual([]);
  });

  test("takes a delay longer than a timer of the platform holds, without firing at once", async () => {
    const { clock, pass } = make();
    const called: string[] = [];
    const cancel = clock.after(366 * 86_400_000, () => called.push("a year"));
    const sentinel = new Promise<void>((done) => clock.after(10, done));
    await pass(30);
    await sentinel;
    cancel();
    expect(called).toEqual([]);
  });

  test("calls back at once, without a warning, where the moment has passed", async () => {
    const { clock, pass } = make();
    const warnings: string[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning.name);
    process.on("warning", onWarning);
    const called = Promise.withResolvers<void>();
    clock.after(-10, called.resolve);
    await pass(5);
    await called.promise;
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  test("now is a whole number of milliseconds and never goes back", () => {
    const { clock } = make();
    const first = clock.now();
    expect(Number.isInteger(first)).toBe(true);
    expect(clock.now()).toBeGreaterThanOrEqual(first);
  });
});

test("a jump of the system clock does not move the clock of durations", () => {
  const clock = new ManualClock(5_000);
  clock.jump(-3_600_000);
  expect([clock.now(), clock.wall()]).toEqual([5_000, 5_000 - 3_600_000]);
});

test("a long timer that is given up within its turn never becomes one of the system, and one that stands does", () => {
  // In a process of its own, where no timers of others come and go.
  const script = `
    import { systemClock } from ${JSON.stringify(join(import.meta.dirname, "clock.ts"))};
    const told = [];
    const tell = () => told.push(process.getActiveResourcesInfo().filter((one) => one === "Timeout").length);
    const giveUp = systemClock.after(60_000, () => undefined);
    systemClock.after(60_000, () => undefined)();
    tell();
    await new Promise(setImmediate);
    tell();
    giveUp();
    tell();
    console.log(JSON.stringify(told));`;
  const argv = ["--input-type=module", "-e", script];
  expect(JSON.parse(execFileSync(process.execPath, argv, { encoding: "utf8" }))).toEqual([0, 1, 0]);
});

test("a long timer is not early for having been armed late", async () => {
  const asked = performance.now();
  await new Promise<void>((done) => systemClock.after(1_000, done));
  expect(performance.now() - asked).toBeGreaterThanOrEqual(999.9);
});

test.runIf(hasProcfs)("what had come before a timer was due is heard before it, however late that is", async () => {
  // Goes on where the event loop sees to its timers next.
  await stat(".");
  const child = spawn("sh", ["-c", "echo answer; exit 3"]);
  const heard: string[] = [];
  child.stdout.on("data", (text: Buffer) => heard.push(text.toString().trim()));
  child.once("exit", (code) => heard.push(`exit ${code}`));
  const rung = new Promise<void>((done) => {
    systemClock.after(1, () => {
      heard.push("timer");
      done();
    });
  });
  // Busy until the child is gone and the timer long due.
  const due = performance.now() + 20;
  while (performance.now() < due || !/\) Z /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"))) continue;
  await rung;
  expect(heard.toSorted()).toEqual(["answer", "exit 3", "timer"]);
  expect(heard.at(-1)).toBe("timer");
});

test("a timer that is given up by what came before it stays silent", async () => {
  const called: string[] = [];
  const giveUp = systemClock.after(1, () => called.push("timer"));
  setTimeout(giveUp, 1);
  const due = performance.now() + 20;
  while (performance.now() < due) continue;
  await new Promise<void>((done) => systemClock.after(5, done));
  expect(called).toEqual([]);
});
