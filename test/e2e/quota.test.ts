import { afterEach, describe, expect, it } from "vitest";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { lastLine, Place, type Running, start, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const say = `
name: say
nodes:
  fix: {type: agent, cap: 1, prompt: Say it}
`;

async function projectWith(place: Place, script: Script): Promise<ModelServer> {
  const model = await serveModel(script);
  servers.push(model);
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n`);
  place.file("say.yaml", say);
  return model;
}

const quota = (seconds: number) => ({
  status: 429,
  message: "Slow down",
  headers: { "retry-after": String(seconds) },
});

interface Shown {
  readonly run: string;
  readonly status: string;
  readonly wakesAt: string | null;
  readonly inside: readonly { readonly status: string }[];
  readonly nodes: readonly { readonly state: string; readonly passes: number; readonly attempts: readonly unknown[] }[];
}

async function shown(place: Place, run: string): Promise<Shown> {
  return JSON.parse((await trammel(["show", run, "--json"], { place })).stdout) as Shown;
}

async function latest(
  place: Place,
): Promise<{ readonly run: string; readonly status: string; readonly reason: string | null }> {
  const { runs } = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as {
    readonly runs: readonly { readonly run: string; readonly status: string; readonly reason: string | null }[];
  };
  const [first] = runs;
  if (first === undefined) throw new Error("there is a run");
  return first;
}

/** The process that executes the run, which its first event names. */
function engineOf({ stdout }: Running): number {
  return (JSON.parse(stdout.split("\n")[0] ?? "") as { readonly owner: { readonly pid: number } }).owner.pid;
}

describe("a run that is out of quota", () => {
  it("is parked by --detach, says until when, and is taken up by resume, which waits for that time", async () => {
    using place = new Place();
    const model = await projectWith(place, [quota(3_600), { say: "Said." }]);
    const began = Date.now();
    const ran = await trammel(["run", "x", "-b", "say.yaml", "--detach", "--plain"], { place });
    expect(ran.code).toBe(5);
    const { run, status, reason } = await latest(place);
    expect({ status, reason }).toEqual({
      status: "waiting",
      reason: expect.stringMatching(/^fix waits for its provider until 20\d\d-.*Z$/),
    });
    expect(ran.stderr).toContain(`trammel resume ${run}`);
    expect(ran.stderr).not.toContain("inbox");
    const waits = await shown(place, run);
    expect(waits).toMatchObject({ status: "waiting", nodes: [{ state: "asleep", passes: 1 }] });
    expect(Date.parse(waits.wakesAt ?? "")).toBeGreaterThanOrEqual(began + 3_600_000);
    expect((await trammel(["show", run], { place })).stdout).toContain("fix, as its provider asked, until");
    expect((await trammel(["inbox"], { place })).stderr).toContain("nothing waits for a person");
    const resumed = start(["resume", run, "--json"], { place });
    await resumed.until(/"type":"run.resumed".*"asleep":\{"fix":\d+\}/);
    resumed.child.kill("SIGINT");
    expect(lastLine(await resumed.end)).toMatchObject({ status: "waiting", wakesAt: waits.wakesAt });
    expect(model.requests).toHaveLength(1);
    expect((await trammel(["replay", run], { place })).code).toBe(0);
  });

  it("for a moment only is not worth parking", async () => {
    using place = new Place();
    const model = await projectWith(place, [quota(2), { say: "Said." }]);
    const began = Date.now();
    const ran = await trammel(["run", "x", "-b", "say.yaml", "--detach", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(Date.now()).toBeGreaterThanOrEqual(began + 2_000);
    expect(model.requests).toHaveLength(2);
    const { run } = await latest(place);
    expect(await shown(place, run)).toMatchObject({ wakesAt: null, nodes: [{ passes: 1, attempts: [{}, {}] }] });
  });

  it("goes on after its engine was killed", async () => {
    using place = new Place();
    const model = await projectWith(place, [quota(2), { say: "Said." }]);
    const running = start(["run", "x", "-b", "say.yaml", "--json"], { place });
    await running.until(/node\.retrying/);
    process.kill(engineOf(running), "SIGKILL");
    await running.end;
    const { run, status } = await latest(place);
    expect(status).toBe("waiting");
    expect(lastLine(await trammel(["resume", run, "--json"], { place }))).toMatchObject({ status: "succeeded" });
    expect(model.requests).toHaveLength(2);
  });

  it("inside a call goes on after its engine was killed, too", async () => {
    using place = new Place();
    const model = await projectWith(place, [quota(6), { say: "Said." }]);
    place.file("outer.yaml", "name: outer\nnodes:\n  inner: {type: call, blueprint: ./say.yaml}\n");
    const running = start(["run", "x", "-b", "outer.yaml", "--json"], { place });
    await running.until(/node\.started/);
    await model.seen(1);
    await running.until(/"type":"node\.waiting"/);
    process.kill(engineOf(running), "SIGKILL");
    await running.end;
    const resumed = await trammel(["resume", (await latest(place)).run, "--json"], { place });
    expect(lastLine(resumed)).toMatchObject({ status: "succeeded" });
    expect(model.requests).toHaveLength(2);
  });

  it("is let go of by Ctrl-C, and not stopped", async () => {
    using place = new Place();
    await projectWith(place, [quota(3_600), { say: "Said." }]);
    const running = start(["run", "x", "-b", "say.yaml", "--json"], { place });
    await running.until(/node\.retrying/);
    running.child.kill("SIGINT");
    const ended = await running.end;
    expect(lastLine(ended)).toMatchObject({ status: "waiting", exitCode: 5, wakesAt: expect.stringMatching(/Z$/) });
    const { run } = await latest(place);
    expect((await trammel(["stop", run], { place })).code).toBe(0);
    expect(await latest(place)).toMatchObject({ status: "stopped" });
  });

  it("inside a call is parked by --detach and let go of by Ctrl-C, but not for a moment only", async () => {
    using place = new Place();
    const model = await projectWith(place, [quota(3_600), quota(3_600), quota(2), { say: "Said." }]);
    place.file("outer.yaml", "name: outer\nnodes:\n  inner: {type: call, blueprint: ./say.yaml}\n");
    const began = Date.now();
    const detached = await trammel(["run", "x", "-b", "outer.yaml", "--detach", "--json"], { place });
    expect(detached.code).toBe(5);
    expect(lastLine(detached)).toMatchObject({ status: "waiting", wakesAt: expect.stringMatching(/Z$/) });
    const first = await latest(place);
    expect(first).toMatchObject({
      status: "waiting",
      reason: expect.stringMatching(/^inner waits for its provider until/),
    });
    expect(Date.parse((await shown(place, first.run)).wakesAt ?? "")).toBeGreaterThanOrEqual(began + 3_600_000);
    expect((await trammel(["stop", first.run], { place })).code).toBe(0);
    const running = start(["run", "x", "-b", "outer.yaml", "--json"], { place });
    await running.until(/"type":"node\.waiting"/);
    running.child.kill("SIGINT");
    expect(lastLine(await running.end)).toMatchObject({ status: "waiting", exitCode: 5 });
    const { run } = await latest(place);
    expect((await trammel(["stop", run], { place })).code).toBe(0);
    expect(await latest(place)).toMatchObject({ status: "stopped" });
    const short = await trammel(["run", "x", "-b", "outer.yaml", "--detach", "--json"], { place });
    expect(lastLine(short)).toMatchObject({ status: "succeeded" });
    expect(model.requests).toHaveLength(4);
  });

  it("for longer than a run waits fails, and says so", async () => {
    using place = new Place();
    await projectWith(place, [quota(7 * 3_600)]);
    const ran = await trammel(["run", "x", "-b", "say.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("longer than the 6 h that a run waits"),
    });
  });
});
