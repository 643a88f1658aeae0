import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { presets } from "./presets.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));
const nothingElse = { strictMcpConfig: true, plugins: [], skills: [] };

test.each([
  ["claude", [{ claudeCode: { options: { tools: ["Read", "Edit"], ...nothingElse } } }, []]],
  ["qwen", [null, ["--core-tools", "read_file", "edit", "--exclude-tools", "agent"]]],
] as const)("a list of tools goes with the session or the command, as %s takes it", async (name, given) => {
  const argv = [process.execPath, main, JSON.stringify([[{ given: true }]])] as const;
  const agent = { argv, variables: [], install: "", scope: presets[name].scope };
  const provider = createAcpProvider({ name, agent, environment: process.env, start: startLive, clock: systemClock });
  const { result } = await play(
    provider,
    agentRequest({ workspace: tmpdir(), model: null, toolScope: ["read", "edit"] }),
  );
  const [meta, rest] = JSON.parse(result.message);
  expect([meta, rest.slice(0, given[1].length)]).toEqual(given);
});

test.each(["claude", "gemini", "qwen"] as const)("a tool that %s has not the like of is refused", (name) => {
  const argv = [process.execPath] as const;
  const agent = { argv, variables: [], install: "", scope: presets[name].scope };
  const provider = createAcpProvider({ name, agent, environment: process.env, start: startLive, clock: systemClock });
  expect(provider.missing(null, { tools: ["read", "run"] })).toBeNull();
  expect(provider.missing(null, { tools: ["read", "git_status"] })).toBe(
    `provider ${name} has no tool like "git_status"; of \`tools\` it can be held to read, list, search, write, edit, run`,
  );
});
