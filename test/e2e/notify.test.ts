import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { noticeShape } from "../../src/wire/notice.ts";
import { Place, runIn, trammel } from "./support/cli.ts";

const gated = `name: gated
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "Ship it?"}
`;

const notice = { blueprint: "gated", waits: "answer", node: "ask", text: "Ship it?" };

it("tells a command and an address that a run waits, before it parks, without credentials", async () => {
  using place = new Place();
  const posted: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(body);
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  place.file("trammel.yaml", `notify: {command: 'cat > told; env > env', webhook: "http://127.0.0.1:${port}/hook"}\n`);
  place.file("b.yaml", gated);
  const env = { ANTHROPIC_API_KEY: "sk-not-for-commands" };
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach"], { place, env });
  server.close();
  expect(ran.code).toBe(5);
  expect(noticeShape.parse(JSON.parse(place.read("told")))).toMatchObject(notice);
  expect(posted.map((body) => noticeShape.parse(JSON.parse(body)))).toMatchObject([notice]);
  expect(place.read("env")).not.toContain("sk-not-for-commands");
});

it("says that a notice did not go out, and the run is as it would be without", async () => {
  using place = new Place();
  place.file(
    "trammel.yaml",
    `notify: {command: "touch tried; echo no line >&2; exit 3", webhook: "http://127.0.0.1:1/"}\n`,
  );
  place.file("b.yaml", gated);
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach"], { place });
  expect(ran.code).toBe(5);
  expect(existsSync(place.path("tried"))).toBe(true);
  expect(ran.stderr).toContain("the notice by command did not go out: exit code 3: no line");
  expect(ran.stderr).toMatch(/the notice by webhook did not go out: .*(ECONNREFUSED|bad port)/);
});

it("tells nobody of a run that waits for nobody", async () => {
  using place = new Place();
  place.file("trammel.yaml", `notify: {command: "touch told"}\n`);
  place.file("b.yaml", "name: plain\nentry: a\nnodes:\n  a: {type: script, run: exit 3}\n");
  expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).code).toBe(1);
  expect(existsSync(place.path("told"))).toBe(false);
});

it("tells nobody once more of a question that is being answered", async () => {
  using place = new Place();
  place.file("trammel.yaml", "notify: {command: 'cat >> told'}\n");
  place.file(
    "b.yaml",
    `${gated}  then: {type: human, mode: approval, prompt: "Sure?"}\nedges: [{from: ask, to: then}]\n`,
  );
  const run = runIn((await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place })).stdout);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(5);
  const told = place.read("told").trimEnd().split("\n");
  expect(told.map((line) => noticeShape.parse(JSON.parse(line)).text)).toEqual(["Ship it?", "Sure?"]);
});
