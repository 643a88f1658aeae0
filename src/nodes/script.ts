import { accessSync, constants } from "node:fs";
import path from "node:path";
import type { ScriptNode } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import type { ProcessResult } from "../ports/processes.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { parseOutput } from "../runtime/validation/output.ts";
import { invalid, runCommand } from "./run-command.ts";

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
  return ran.result.outcome === "success" ? { ...ran.result, ...(await valueOf(ran.process, context)) } : ran.result;
}

/** Line ends of another system would reach the shell as part of each last word. */
function shellOf(shell: "sh" | "bash", command: string): readonly string[] {
  const script = command.replaceAll("\r\n", "\n");
  return shell === "sh" ? ["sh", "-c", script] : ["bash", "-o", "pipefail", "-c", script];
}

/** What `output:` makes of stdout; a value that does not parse is a failure. */
async function valueOf(
  { stdout }: ProcessResult,
  { node, can }: ActionContext<ScriptNode>,
): Promise<Partial<NodeResult>> {
  if (node.output === undefined || node.output.as === "text") return {};
  if (stdout.bytes > limits.parsedOutputBytes) {
    return invalid(
      `stdout has ${stdout.bytes} bytes; \`output: ${node.output.as}\` takes up to ${limits.parsedOutputBytes}`,
    );
  }
  const text =
    stdout.blob === undefined ? stdout.text : Buffer.from((await can.blobs.get(stdout.blob)) ?? []).toString();
  const parsed = await parseOutput(text, node.output);
  return "problem" in parsed ? invalid(parsed.problem) : { value: parsed.value };
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
