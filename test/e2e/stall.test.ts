import { expect, it, onTestFinished } from "vitest";
import { noticeShape } from "../../src/wire/notice.ts";
import { serveModel } from "../fixtures/model-server/server.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

it("an agent that hangs is warned of and ended, and its retry knows what it had done", async () => {
  using place = new Place();
  const call = [{ tool: "write", input: { path: "notes.txt", content: "half of it\n" } }];
  const model = await serveModel([{ call }, { say: "And now", ends: "hold" }, { say: "All of it." }]);
  onTestFinished(() => model.close());
  place.file(
    "trammel.yaml",
    `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\nnotify: {command: 'cat >> told'}\n`,
  );
  place.file(
    "b.yaml",
    "name: b\nnodes:\n  a: {type: agent, prompt: Write it, stall: 4s, retry: 1, idempotent: true, cap: 1}\n",
  );
  const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
  expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
  expect(ran.stdout).toMatch(/"type":"quiet","ms":\d+,"leftMs":\d+/);
  expect(ran.stdout).toContain('"code":"stalled","text":"the agent showed no sign of life for 4 s and was ended"');
  expect(noticeShape.parse(JSON.parse(place.read("told")))).toMatchObject({
    waits: "sign_of_life",
    node: "a",
  });
  const again = JSON.stringify(model.requests[2]?.body);
  expect(again).toContain("An earlier attempt of this was broken off.");
  expect(again).toContain("+half of it");
  expect(JSON.stringify(model.requests[0]?.body)).not.toContain("earlier attempt");
});
