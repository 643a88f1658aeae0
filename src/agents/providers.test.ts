import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentRequest, play } from "../../test/fixtures/agent-request.ts";
import { serveModel } from "../../test/fixtures/model-server/server.ts";
import type { AgentProvider } from "../ports/provider.ts";
import { systemClock } from "../runtime/time/clock.ts";
import { createProviders } from "./providers.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-providers-"));
});

afterAll(() => rm(folder, { recursive: true }));

function provided(found: AgentProvider | { readonly missing: string }): AgentProvider {
  if (typeof found.missing === "string") throw new Error(found.missing);
  return found as AgentProvider; // `missing` of a provider is a function
}

const mask = (text: string): string => text;

test("the configured one where a node names none, else ai", () => {
  expect(
    provided(createProviders({ ai: {}, environment: {}, dataFolder: "/nowhere", clock: systemClock, mask })(undefined))
      .name,
  ).toBe("ai");
  expect(
    provided(
      createProviders({
        ai: {},
        environment: {},
        dataFolder: "/nowhere",
        clock: systemClock,
        mask,
        provider: "replay",
      })(undefined),
    ).name,
  ).toBe("replay");
  expect(
    provided(
      createProviders({
        ai: {},
        environment: {},
        dataFolder: "/nowhere",
        clock: systemClock,
        mask,
        provider: "replay",
      })("ai"),
    ).name,
  ).toBe("ai");
});

test("an unknown one is a sentence that names those there are", () => {
  expect(createProviders({ ai: {}, environment: {}, dataFolder: "/nowhere", clock: systemClock, mask })("gtp")).toEqual(
    {
      missing: expect.stringMatching(/there is no provider "gtp"; there are: .*ai.*replay/),
    },
  );
});

test("what was recorded can be replayed without a model", async () => {
  const server = await serveModel([{ say: "Done." }]);
  const request = agentRequest({ workspace: folder });
  const cassettes = join(folder, "cassettes");
  const ai = { compatible: { baseUrl: server.url } };
  const recorded = await play(
    provided(
      createProviders({ ai, environment: {}, dataFolder: "/nowhere", clock: systemClock, mask, record: cassettes })(
        "ai",
      ),
    ),
    request,
  );
  await server.close();
  expect(await readdir(cassettes)).toEqual(["work.1.jsonl"]);
  const replayed = await play(
    provided(
      createProviders({ ai: {}, environment: {}, dataFolder: "/nowhere", clock: systemClock, mask, cassettes })(
        "replay",
      ),
    ),
    request,
  );
  expect(replayed).toEqual(recorded);
});
