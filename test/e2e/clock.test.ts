import { globSync, renameSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runListShape, runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, type Running, start, trammel } from "./support/cli.ts";

/**
 * What whole processes see of the system clock, that of the machine moved by an
 * offset such as `+2h`; a test can move it while they run.
 */
class SystemClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  /** `monotonic`: with it, that clock jumps as well. */
  constructor(place: Place, offset: string, monotonic = false) {
    this.#file = place.path(`.clock${offset}`);
    this.set(offset);
    this.env = {
      LD_PRELOAD: globSync("/usr/lib/*/faketime/libfaketimeMT.so.1")[0] ?? "faketime is not installed",
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      ...(monotonic ? {} : { FAKETIME_DONT_FAKE_MONOTONIC: "1" }),
    };
  }

  set(offset: string): void {
    writeFileSync(`${this.#file}.new`, offset);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

interface Line {
  readonly seq: number;
  readonly at: string;
}

function linesOf(running: Running): readonly Line[] {
  const lines = running.stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line).filter(({ seq, at }) => seq > 0 && at !== "");
}

async function reportOf(place: Place, run: string, env: Readonly<Record<string, string>> = {}) {
  return runReportShape.parse(JSON.parse((await trammel(["show", run, "--json"], { place, env })).stdout));
}

/** In milliseconds; of a run that one process executed. */
function durationsOf({ nodes }: Awaited<ReturnType<typeof reportOf>>): readonly number[] {
  return nodes.flatMap(({ attempts }) =>
    attempts.map(({ startedAt, endedAt }) => Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "")),
  );
}

it("keeps durations and the order of events where the clock of the system is set ahead and back under a run", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: jumps
limits: {time: 1h}
nodes:
  a: {type: script, timeout: 30m, run: "until test -e go; do sleep 0.05; done; cat /proc/uptime > before"}
  b: {type: wait, for: 2s}
  c: {type: script, run: "cat /proc/uptime > after"}
edges: [{from: a, when: success, to: b}, {from: b, to: c}]
`,
  );
  const clock = new SystemClock(place, "+0");
  const running = start(["run", "t", "-b", "b.yaml", "--json"], { place, env: clock.env });
  await running.until(/"node\.process"/);
  clock.set("+2h");
  writeFileSync(place.path("go"), "");
  await running.until(/"node\.started".*"b"/);
  clock.set("-5h");
  const ended = await running.end;
  expect(ended).toMatchObject({ code: 0 });
  // In seconds since the machine started, of which the clocks that are set know nothing.
  const [before = Number.NaN, after] = ["before", "after"].map((name) => Number.parseFloat(place.read(name)));
  expect(after).toBeGreaterThanOrEqual(before + 1.99);
  const lines = linesOf(running);
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq).toSorted((a, b) => a - b));
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted());
  const durations = durationsOf(await reportOf(place, String(lastLine(ended)["run"]), clock.env));
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...durations)).toBeLessThan(3_600_000);
  expect(durations[1]).toBeGreaterThanOrEqual(2_000);
});

it("waits `until` a time by the clock of the system, which is set back meanwhile", async () => {
  using place = new Place();
  const began = "2026-01-01 00:00:00";
  const until = Date.parse(began) + 1_000;
  place.file("b.yaml", `name: until\nnodes:\n  a: {type: wait, until: "${new Date(until).toISOString()}"}\n`);
  // It stands still at first, so that the time cannot come before the clock is set back.
  const clock = new SystemClock(place, began);
  const running = start(["run", "t", "-b", "b.yaml", "--json"], { place, env: clock.env });
  await running.until(/"node\.started"/);
  const behind = Math.ceil((Date.now() - until) / 1_000) + 3;
  clock.set(`-${behind}s`);
  expect(await running.end).toMatchObject({ code: 0 });
  expect(Date.now()).toBeGreaterThanOrEqual(until + behind * 1_000);
});

it("comes to its end in order where the monotonic clock jumps as well", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: both
nodes:
  a: {type: script, timeout: 10h, run: "until test -e go; do sleep 0.05; done"}
  b: {type: wait, for: 1h}
edges: [{from: a, when: success, to: b}]
`,
  );
  const clock = new SystemClock(place, "+0", true);
  const running = start(["run", "t", "-b", "b.yaml", "--json"], { place, env: clock.env });
  await running.until(/"node\.process"/);
  clock.set("+2h");
  writeFileSync(place.path("go"), "");
  await running.until(/"node\.started".*"b"/);
  clock.set("+4h");
  const ended = await running.end;
  expect(ended).toMatchObject({ code: 0 });
  const lines = linesOf(running);
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted());
  expect(Math.min(...durationsOf(await reportOf(place, String(lastLine(ended)["run"]))))).toBeGreaterThanOrEqual(0);
});

it("holds a gate to its time by the clock of whoever takes the answer, and shows no time below zero", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: gate
nodes:
  w: {type: script, run: echo w}
  a: {type: human, mode: approval, prompt: "Ship it?", timeout: 1h}
  b: {type: script, run: echo shipped >> log}
edges: [{from: w, to: a}, {from: a, when: success, to: b}]
`,
  );
  const parked = async (): Promise<string> =>
    String(lastLine(await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place }))["run"]);
  const [early, late] = [await parked(), await parked()];
  const { env: behind } = new SystemClock(place, "-3d");
  const { env: ahead } = new SystemClock(place, "+2h");
  expect(await trammel(["answer", early, "a", "yes"], { place, env: behind })).toMatchObject({ code: 0 });
  const refused = await trammel(["answer", late, "a", "yes"], { place, env: ahead });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("its time was up at") });
  expect(place.read("log")).toBe("shipped\n");
  for (const env of [behind, ahead])
    for (const args of [["show", early], ["logs", early], ["runs"]]) {
      const said = await trammel(args, { place, env });
      expect(said).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/-\d+(?:\.\d)?(?:s|m|h|d)\b/) });
    }
});

it("gives every run an id of its own, and lists the latest first, while the clock of the system stands still or goes back", async () => {
  using place = new Place();
  place.file("b.yaml", "name: ok\nnodes:\n  a: {type: script, run: 'true'}\n");
  const begin = async ({ env }: SystemClock): Promise<string> =>
    String(lastLine(await trammel(["run", "t", "-b", "b.yaml", "--json"], { place, env }))["run"]);
  const still = new SystemClock(place, "2027-01-01 00:00:00");
  const together = await Promise.all(Array.from({ length: 4 }, () => begin(still)));
  const after = [await begin(new SystemClock(place, "+3d")), await begin(new SystemClock(place, "-3d"))];
  expect(new Set([...together, ...after]).size).toBe(6);
  const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
  expect(runs.map(({ run }) => run).slice(0, 2)).toEqual(after.toReversed());
});
