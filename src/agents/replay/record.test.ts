import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import type { AgentProvider } from "../../ports/provider.ts";
import { recording } from "./provider.ts";

const idle: AgentProvider = {
  name: "ai",
  missing: () => null,
  currencyOf: () => null,
  run: () =>
    Promise.resolve({
      outcome: "success",
      message: "done",
      usage: { inputTokens: 1, outputTokens: 1, turns: 1 },
      beforeEffect: false,
    }),
};

test("a first pass that is recorded anew leaves no later pass of its node, a later one leaves all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trammel-record-"));
  try {
    const others = ["fix.md", "fix-2.2.jsonl", "fix.02.jsonl", "review.2.jsonl"];
    const own = ["fix.1.jsonl", "fix.2.jsonl", "fix.11.jsonl"];
    for (const name of [...own, ...others]) await writeFile(join(folder, name), "old");
    const recorded = recording(idle, { folder, except: [], mask: (text) => text });
    const workspace = await mkdtemp(join(folder, "work-"));
    const names = async (): Promise<readonly string[]> =>
      (await readdir(folder)).filter((name) => !name.startsWith("work-")).toSorted();
    await play(recorded, agentRequest({ workspace, node: "fix", pass: 2 }));
    expect(await names()).toEqual([...own, ...others].toSorted());
    await play(recorded, agentRequest({ workspace, node: "fix", pass: 1 }));
    expect(await names()).toEqual(["fix.1.jsonl", ...others].toSorted());
    expect(await readFile(join(folder, "fix.1.jsonl"), "utf8")).not.toBe("old");
  } finally {
    await rm(folder, { recursive: true });
  }
});
