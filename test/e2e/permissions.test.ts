import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { inboxShape } from "../../src/wire/inbox.ts";
import { receiptShape } from "../../src/wire/receipt.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const call = (command: string) => ({ call: [{ tool: "run", input: { command } }] });

/** An agent that asks for leave to run two commands. */
async function asking(place: Place): Promise<ModelServer> {
  const model = await serveModel([call("touch one"), call("touch two"), { say: "Done." }]);
  servers.push(model);
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}", policy: ask}\n`);
  place.file("b.yaml", "name: b\nentry: a\nnodes: {a: {type: agent, prompt: Do it}}\nedges: [{from: a, to: END}]\n");
  return model;
}

async function waiting(place: Place) {
  return inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout)).waiting;
}

describe("an agent that asks for leave", () => {
  it("is answered from another terminal, each question by itself, and the receipt says by whom", async () => {
    using place = new Place();
    const model = await asking(place);
    const running = start(["run", "x", "-b", "b.yaml", "--detach", "--json"], { place });
    await running.until(/"gate.opened"/);
    const [first] = await waiting(place);
    expect(first).toMatchObject({ node: "a", mode: "approval", prompt: "May the agent do this? run: touch one" });
    const run = first?.run ?? "";
    expect(existsSync(place.path("one"))).toBe(false);
    expect((await trammel(["answer", run, "a", "perhaps"], { place })).code).toBe(2);
    expect((await trammel(["answer", run, "a", "yes"], { place })).code).toBe(0);
    await running.until(/"gate.opened"[^]*"gate.opened"/);
    expect(await waiting(place)).toMatchObject([{ prompt: "May the agent do this? run: touch two" }]);
    expect((await trammel(["answer", run, "a", "no"], { place })).code).toBe(0);
    const ran = await running.end;
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect([existsSync(place.path("one")), existsSync(place.path("two"))]).toEqual([true, false]);
    expect(JSON.stringify(model.requests[2]?.body)).toContain("not permitted: a person said no");
    const { approvals } = receiptShape.parse(JSON.parse((await trammel(["receipt", run], { place })).stdout));
    expect(approvals.map(({ prompt, answer }) => [prompt, answer])).toEqual([
      ["May the agent do this? run: touch one", true],
      ["May the agent do this? run: touch two", false],
    ]);
    expect(await waiting(place)).toEqual([]);
    const late = await trammel(["answer", run, "a", "yes"], { place });
    expect(late.code).toBe(2);
  });

  it("inside a call is answered at the call", async () => {
    using place = new Place();
    await asking(place);
    place.file(
      "outer.yaml",
      "name: outer\nentry: c\nnodes: {c: {type: call, blueprint: ./b.yaml}}\nedges: [{from: c, to: END}]\n",
    );
    const running = start(["run", "x", "-b", "outer.yaml", "--detach", "--json"], { place });
    for (const prompt of ["run: touch one", "run: touch two"]) {
      await expect
        .poll(() => waiting(place))
        .toMatchObject([{ node: "c/a", prompt: `May the agent do this? ${prompt}` }]);
      const [{ run } = { run: "" }] = await waiting(place);
      expect((await trammel(["answer", run, "c/a", "yes"], { place })).code).toBe(0);
    }
    expect(lastLine(await running.end)).toMatchObject({ status: "succeeded" });
    expect([existsSync(place.path("one")), existsSync(place.path("two"))]).toEqual([true, true]);
  });

  it("is told no at once where nobody can be asked, and no question stands", async () => {
    using place = new Place();
    const model = await asking(place);
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(existsSync(place.path("one"))).toBe(false);
    expect(JSON.stringify(model.requests[1]?.body)).toContain("nobody can be asked here");
    expect(ran.stdout).not.toContain('"gate.opened"');
  });

  it("that nobody answers in time fails, and leaves no question behind", async () => {
    using place = new Place();
    await asking(place);
    place.file(
      "b.yaml",
      "name: b\nentry: a\nnodes: {a: {type: agent, prompt: Do it, timeout: 2s}}\nedges: [{from: a, to: END}]\n",
    );
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--detach", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expect(ran.stdout).toContain("still at work when its time was over");
    expect(await waiting(place)).toEqual([]);
  });
});
