import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { locked } from "../../src/runtime/lock.ts";
import { inboxShape } from "../../src/wire/inbox.ts";
import { runEndShape, runListShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

const patient = `name: p\nentry: a\nnodes:\n  a: {type: script, run: "echo begun; sleep 60; touch late"}\n  b: {type: script, run: "touch after"}\nedges:\n  - {from: a, to: b}\n`;
/** Does not care for SIGTERM. */
const stubborn = `name: s\nnodes:\n  a: {type: script, run: "trap '' TERM; echo begun; sleep 60 & wait; sleep 60"}\n`;

async function statusOf(place: Place): Promise<string | undefined> {
  const { stdout } = await trammel(["runs", "--json"], { place });
  return runListShape.parse(JSON.parse(stdout)).runs[0]?.status;
}

describe("Ctrl-C", () => {
  // Of SIGQUIT, which Ctrl-\ sends, the launcher passes one more on.
  it.each([["SIGINT"], ["SIGQUIT", "SIGQUIT"]] as const)("once stops in order with 130: %s", async (...signals) => {
    using place = new Place();
    place.file("b.yaml", patient);
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await run.until(/node\.process/);
    for (const signal of signals) run.child.kill(signal);
    const ended = await run.end;
    expect(ended.code).toBe(130);
    expect(runEndShape.parse(lastLine(ended))).toMatchObject({ status: "stopped", exitCode: 130 });
    expect(await statusOf(place)).toBe("stopped");
    expect(existsSync(place.path("late")) || existsSync(place.path("after"))).toBe(false);
  });

  it("twice does not wait for a child that ignores it", async () => {
    using place = new Place();
    place.file("b.yaml", stubborn);
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await run.until(/node\.process/);
    run.child.kill("SIGINT");
    await run.until(/run\.stop_requested/);
    run.child.kill("SIGINT");
    expect((await run.end).code).toBe(130);
    expect(await statusOf(place)).toBe("stopped");
  });

  it("twice leaves what a run that is over waits for", async () => {
    using place = new Place();
    place.git("init", "-q", "-b", "main");
    place.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "First");
    const looking = `until [ -e '${place.path("go")}' ]; do sleep 0.05; done`;
    place.file(
      "b.yaml",
      `name: w\nworkspace: {isolate: worktree}\nnodes:\n  a: {type: script, run: ${JSON.stringify(looking)}}\n`,
    );
    const run = start(["run", "-b", "b.yaml"], { place });
    await run.until(/a started/);
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = locked(place.path(".git/trammel-worktrees"), () => {
      held.resolve();
      return free.promise;
    });
    await held.promise;
    place.file("go", "");
    await run.until(/succeeded/);
    run.child.kill("SIGINT");
    await run.until(/is over \(succeeded\).*Ctrl-C once more/);
    run.child.kill("SIGINT");
    expect((await run.end).code).toBe(130);
    expect(await statusOf(place)).toBe("succeeded");
    free.resolve();
    await holding;
  });

  it("at a prompt ends the run and no approval comes of it", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: g\nentry: a\nnodes:\n  a: {type: human, mode: approval, prompt: "Go?"}\n  b: {type: script, run: "touch after"}\nedges:\n  - {from: a, when: success, to: b}\n  - {from: a, when: failure, to: END}\n`,
    );
    const run = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
    await run.until(/Approve\?/);
    run.type("\u0003");
    expect((await run.end).code).toBe(130);
    expect(await statusOf(place)).toBe("stopped");
    expect(existsSync(place.path("after"))).toBe(false);
  });

  it("is what `trammel stop` does from another process", async () => {
    using place = new Place();
    place.file("b.yaml", patient);
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await run.until(/node\.process/);
    const id = runIn(run.stdout);
    expect((await trammel(["stop", id], { place })).code).toBe(0);
    expect((await run.end).code).toBe(130);
    expect((await trammel(["logs", id], { place })).stdout).toMatch(/ cancelled$/m);
    const again = await trammel(["stop", id], { place });
    expect(again).toMatchObject({ code: 2, stderr: `trammel: run ${id} is over: stopped\n` });
  });
});

describe("SIGUSR1", () => {
  it("opens no debugger, by which what a run started could answer its gates, and stops nothing", async () => {
    using place = new Place();
    place.file("b.yaml", `name: u\nentry: a\nnodes:\n  a: {type: script, run: "kill -USR1 $PPID; echo said"}\n`);
    const ended = await trammel(["run", "-b", "b.yaml"], { place });
    expect(ended).toMatchObject({ code: 0, stdout: "said\n", stderr: expect.not.stringContaining("Debugger") });
  });
});

describe("kill -9", () => {
  it("leaves an interrupted run that resume brings to a person, and runs nothing twice", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: k\nentry: a\nnodes:\n  a: {type: script, run: "echo a >> log"}\n  b: {type: script, run: "echo b >> log; sleep 60"}\nedges:\n  - {from: a, to: b}\n`,
    );
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await place.until("log", "a\nb\n");
    run.child.kill("SIGKILL");
    // The log may be seen before what the engine said is read.
    await run.end;
    const id = runIn(run.stdout);
    expect(await statusOf(place)).toBe("interrupted");
    const inbox = await trammel(["inbox"], { place });
    expect(inbox.stdout).toContain(`${id}  k: interrupted\n  Go on with it: trammel resume ${id}; or end it: `);
    const listed = inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout));
    expect(listed).toMatchObject({ waiting: [], decisions: [], interrupted: [{ run: id, blueprint: "k" }] });
    expect((await trammel(["show", id], { place })).stdout).toMatch(/^ +1\. was running when the engine ended$/m);
    const resumed = await trammel(["resume", id, "--json"], { place });
    expect(resumed.code).toBe(3);
    expect(runEndShape.parse(lastLine(resumed))).toMatchObject({ run: id, status: "needs_attention" });
    const settled = await trammel(["settle", id, "b", "--as", "failed", "--reason", "no file"], { place });
    expect(settled).toMatchObject({ code: 1, stderr: expect.stringContaining(`trammel show ${id}`) });
    expect(place.read("log")).toBe("a\nb\n");
    const shown = (await trammel(["show", id], { place })).stdout;
    expect(shown).toMatch(/^ +1\. failure: settled as failed by \S+: no file {2}/m);
    expect(shown).not.toContain("unknown");
    expect((await trammel(["inbox"], { place })).stdout).toBe("");
  });
});

describe("a resumed run", () => {
  it("is shown with what it did before: its time counts from its start", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: k\nentry: a\nnodes:\n  a: {type: script, idempotent: true, run: "test -e again && exit; touch again; kill -9 $PPID"}\nedges:\n  - {from: a, to: END}\n`,
    );
    const killed = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    const id = runIn(killed.stdout);
    const resumed = await trammel(["resume", id, "--plain"], { place });
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^ +\d+\.\ds {2}resumed$/m) });
  });
});

describe("a reader that goes away", () => {
  it("does not end a run", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: q\nentry: a\nnodes:\n  a: {type: script, run: "echo one"}\n  b: {type: script, run: "touch after"}\nedges:\n  - {from: a, to: b}\n`,
    );
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    run.child.stdout?.destroy();
    const { code, stderr } = await run.end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(existsSync(place.path("after"))).toBe(true);
  });
});
