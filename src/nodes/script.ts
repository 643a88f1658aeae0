import { accessSync, constants } from "node:fs";
import path from "node:path";
import type { ScriptNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { runCommand } from "./run-command.ts";
import { saidValue } from "../runtime/validation/said-value.ts";

/** Performs `script` nodes. `redactor` masks what a script writes to `$TRAMMEL_OUTPUT`. */
export function createScriptPerformer(redactor: Redactor): Performer<ScriptNode> {
  return {
    type: "script",
    class: "deterministic",
    missing: (node) =>
      node.shell === "bash" && !isOnPath("bash") ? `script "${node.id}": bash was not found on PATH` : null,
    async perform(context) {
      try {
        return await checkAndFix(context, redactor);
      } catch (error) {
        if (!(error instanceof BlobFailure)) throw error;
        return { outcome: "error", reason: { code: "spill", text: error.message } };
      }
    },
  };
}

/** `autofix` runs once, after an answer of no; then the check's second answer counts, whatever the fix itself said. */
async function checkAndFix(context: ActionContext<ScriptNode>, redactor: Redactor): Promise<NodeResult> {
  const { run, autofix, expect } = context.node;
  const first = await runOnce(context, run, redactor);
  if (autofix === undefined || expect === "failure" || first.reason?.code !== "exit" || first.outcome !== "failure")
    return first;
  const fixed = await runOnce(context, autofix, redactor);
  return fixed.outcome === "cancelled" ? fixed : runOnce(context, run, redactor);
}

async function runOnce(context: ActionContext<ScriptNode>, command: string, redactor: Redactor): Promise<NodeResult> {
  const { node, blueprint } = context;
  const { memoryBytes } = blueprint.limits;
  const ran = await runCommand(
    context,
    {
      argv: shellOf(node.shell ?? "sh", command),
      cwd: path.resolve(context.cwd, node.cwd ?? "."),
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
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

function isOnPath(command: string): boolean {
  return (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
