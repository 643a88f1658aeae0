import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Step } from "../../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import type { AgentEvent } from "../../model/agent-event.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { scopeOf } from "../../runtime/reading/scope.ts";
import { TurnReads } from "../../runtime/reading/turn-reads.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));
let folder: string;
let workspace: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "trammel-acp-reads-")));
  workspace = join(folder, "workspace");
  await mkdir(join(workspace, "src"), { recursive: true });
  for (const path of ["outside.txt", "workspace/inside.txt", "workspace/src/a.txt"])
    await writeFile(join(folder, path), path);
});

afterAll(() => rm(folder, { recursive: true }));

/** What is told of an agent that may read `src/**` and does these steps. */
async function told(steps: readonly Step[]) {
  const events: AgentEvent[] = [];
  const scope = scopeOf(["src/**"], workspace, {});
  const reads = new TurnReads({ root: workspace, scope, boxed: false, report: (event) => events.push(event) });
  const argv = [process.execPath, main, JSON.stringify([steps])] as const;
  const agent = { argv, variables: [], install: "" };
  const provider = createAcpProvider({ name: "a", agent, environment: {}, start: startLive, clock: systemClock });
  const env = { PATH: process.env["PATH"] ?? "" };
  const { result } = await play(provider, agentRequest({ workspace, model: null, env, reads }));
  const drift = await reads.settled();
  return {
    result,
    drift,
    reads: events.flatMap((event) => (event.type === "read" ? [`${event.how} ${event.path}`] : [])),
  };
}

test("what an agent reads by its own means is told: files, and what its commands show", async () => {
  const { result, drift, reads } = await told([
    { call: { kind: "read", title: "src/a.txt", ask: false } },
    { call: { kind: "read", title: join(folder, "outside.txt"), ask: false } },
    { call: { kind: "execute", title: "Look", command: "cd src && cat ../inside.txt | head -1" } },
    { call: { kind: "search", title: "src", ask: false } },
  ]);
  const outside = join(folder, "outside.txt");
  expect(result.outcome).toBe("success");
  expect(drift).toEqual([outside, "inside.txt"]);
  expect(reads.toSorted()).toEqual([`outside ${outside}`, "outside inside.txt", "read src/a.txt"]);
});

test("what it reads by way of us is held", async () => {
  const { result, drift, reads } = await told([
    { read: join(workspace, "src", "a.txt") },
    { read: join(workspace, "inside.txt") },
  ]);
  expect(result).toMatchObject({ outcome: "error", reason: { text: expect.stringContaining("context.read") } });
  expect(drift).toEqual([]);
  expect(reads.toSorted()).toEqual(["read src/a.txt", "refused inside.txt"]);
});
