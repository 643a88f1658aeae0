import path from "node:path";
import { which } from "../runtime/processes/which.ts";
import type { ScriptNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { largeValues, readingNothing } from "./large-values.ts";
import { runCommand } from "./run-command.ts";
import { saidValue } from "../runtime/validation/said-value.ts";

/** Performs `script` nodes. `redactor` masks what a script writes to `$TRAMMEL_OUTPUT`. */
export function createScriptPerformer(redactor: Redactor, clock: Clock): Performer<ScriptNode> {
  return {
    type: "script",
    class: "deterministic",
    missing: (node, _can, { workspace }) =>
      missingShell(node) ?? (workspace.setup === undefined ? missingTool(node) : null),
    async perform(context) {
      try {
        return await checkAndFix(context, redactor, clock);
      } catch (error) {
        if (!(error instanceof BlobFailure)) throw error;
        return { outcome: "error", reason: { code: "spill", text: error.message } };
      }
    },
  };
}

function missingShell({ shell }: ScriptNode): string | null {
  return shell === "bash" && !isFound("bash") ? "bash was not found on PATH" : null;
}

/** Not every project has what a stock node calls; told before an agent has worked for nothing. */
function missingTool({ stock, run, env }: ScriptNode): string | null {
  if (stock === undefined || Object.hasOwn(env ?? {}, "PATH")) return null;
  if (run.startsWith("pnpm ") && !isFound("pnpm"))
    return "pnpm was not found on PATH\nWhat else a stock node runs is said in trammel.yaml, as in commands: {lint: npm run lint}";
  return /\bgh pr create /.test(run) && !isFound("gh") ? "gh, the GitHub command line, was not found on PATH" : null;
}

function isFound(program: string): boolean {
  return which(program, process.env["PATH"]) !== null;
}

/**
 * `autofix` runs once, after an answer of no; then the check's second answer counts, whatever the fix itself said. All
 * of it has the one timeout of the node.
 */
async function checkAndFix(context: ActionContext<ScriptNode>, redactor: Redactor, clock: Clock): Promise<NodeResult> {
  const { run, autofix, expect } = context.node;
  const until = context.timeoutMs === null ? null : clock.now() + context.timeoutMs;
  const inTime = (command: string): Promise<NodeResult> =>
    runOnce(context, command, redactor, until === null ? null : Math.max(1, until - clock.now()));
  const first = await inTime(run);
  if (autofix === undefined || expect === "failure" || first.reason?.code !== "exit" || first.outcome !== "failure")
    return first;
  const fixed = await inTime(autofix);
  return fixed.outcome === "cancelled" || fixed.reason?.code === "timeout" ? fixed : inTime(run);
}

async function runOnce(
  context: ActionContext<ScriptNode>,
  command: string,
  redactor: Redactor,
  timeoutMs: number | null,
): Promise<NodeResult> {
  const { node, blueprint } = context;
  const { memoryBytes } = blueprint.limits;
  const env = await context.environment();
  const nothing = readingNothing(command, largeValues(node, env));
  if (nothing !== null) return nothing;
  const ran = await runCommand(
    context,
    {
      argv: shellOf(node.shell ?? "sh", command),
      cwd: path.resolve(context.cwd, node.cwd ?? "."),
      env,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
    },
    redactor,
  );
  if (ran.result.outcome !== "success") return toldWhere(node, ran.result);
  return { ...ran.result, ...(await saidValue(ran.process.stdout, node.output, context.can.blobs)) };
}

/** What a stock node runs unless it is told is not there in every project. */
function toldWhere({ stock }: ScriptNode, result: NodeResult): NodeResult {
  const { exit, reason } = result;
  if (stock === undefined || exit !== 127 || reason === undefined) return result;
  const text = `${reason.text}; commands.${stock} in trammel.yaml says what ${stock} runs`;
  return { ...result, reason: { ...reason, text } };
}

/** Line ends of another system would reach the shell as part of each last word. */
function shellOf(shell: "sh" | "bash", command: string): readonly string[] {
  const script = command.replaceAll("\r\n", "\n");
  return shell === "sh" ? ["sh", "-c", script] : ["bash", "-o", "pipefail", "-c", script];
}
