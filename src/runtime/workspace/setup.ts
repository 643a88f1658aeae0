import type { ScriptNode } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal } from "../api.ts";
import { inputTexts, type RunFacts } from "../context.ts";
import type { EngineOptions } from "../options.ts";
import { told } from "../time/wait.ts";

/** Runs `workspace.setup` before the run begins. Answers why it did not succeed, or null. */
export async function setUp(
  { can, environment, clock, notice }: Pick<EngineOptions, "can" | "environment" | "clock" | "notice">,
  facts: RunFacts,
  signal = new AbortController().signal,
): Promise<Refusal | null> {
  const { run, taskId, blueprint, cwd, project } = facts;
  const { setup } = blueprint.workspace;
  if (setup === undefined) return null;
  const node: ScriptNode = { id: "setup", type: "script", run: setup };
  const spec = {
    argv: ["sh", "-c", setup.replaceAll("\r\n", "\n")],
    cwd,
    env: await environment({ run, taskId, node, blueprint, cwd, project, inputs: inputTexts(facts), env: {} }),
    timeoutMs: limits.deterministicTimeoutMs,
    outputBytes: limits.outputDefaultBytes,
  };
  const result = await told({ clock, notice }, "workspace.setup", () => can.processes.run(spec, signal));
  const { end } = result;
  if (end.kind === "exit" && end.code === 0) return null;
  const how = end.kind === "exit" ? `exit ${end.code}` : end.kind;
  const said = `${result.stderr.text.trimEnd()}\n${result.stdout.text}`.trim();
  return {
    ...refuse("bad_input", `workspace.setup did not succeed (${how})`, "mend it and run again; the worktree is gone"),
    ...(said === "" ? {} : { details: said.split("\n").slice(-limits.evidenceLines) }),
  };
}
