import { createHash } from "node:crypto";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { limits } from "../../model/limits.ts";
import type { NodeResult, ProgressMark } from "../../model/outcome.ts";
import type { ActionContext } from "../../ports/performer.ts";

/**
 * The result of a check with what its `progress:` command says after it failed, which the engine
 * compares with the failure before. The command prints how much is left to do as a number on its last
 * line; one that fails or prints none leaves only the failure's look.
 */
export async function withProgress(context: ActionContext, result: NodeResult): Promise<NodeResult> {
  const { progress, expect } = context.node;
  if (progress === undefined || result.outcome !== (expect === "failure" ? "success" : "failure")) return result;
  const measure = await measured(context, progress);
  const mark: ProgressMark = { signature: signatureOf(result) };
  return { ...result, progress: measure === null ? mark : { ...mark, measure } };
}

async function measured(context: ActionContext, command: string): Promise<number | null> {
  const { node, blueprint } = context;
  const own = "cwd" in node ? node.cwd : undefined;
  const { end, stdout } = await context.can.processes.run(
    {
      argv: ["sh", "-c", command.replaceAll("\r\n", "\n")],
      cwd: path.resolve(context.cwd, own ?? "."),
      env: await context.environment(),
      outputBytes: limits.outputTailBytes,
      timeoutMs: limits.progressTimeoutMs,
      ...(blueprint.limits.memoryBytes === undefined ? {} : { memoryBytes: blueprint.limits.memoryBytes }),
      onStart: (process) => context.report({ kind: "process", process }),
    },
    context.signal,
  );
  if (end.kind !== "exit" || end.code !== 0) return null;
  const number = /-?\d+(?:\.\d+)?(?=\D*$)/.exec(stdout.text.trimEnd().split("\n").at(-1) ?? "");
  return number === null ? null : Number(number[0]);
}

/**
 * A failure freed of what changes from run to run: numbers, and the folders and
 * times in which they stand. One line for people.
 */
function signatureOf(result: NodeResult): string {
  const said = stripVTControlCharacters(result.output?.text ?? "");
  const lines = said
    .split("\n")
    .map(freed)
    .filter((line) => line !== "");
  const last = lines.slice(-limits.signatureLines);
  const code = freed(result.reason?.text ?? "");
  const digest = createHash("sha256")
    .update([code, ...last].join("\n"))
    .digest("hex")
    .slice(0, 8);
  return `${(last.at(-1) ?? code).slice(0, limits.signatureCharacters)} (${digest})`;
}

function freed(line: string): string {
  return line
    .replace(/\/(?:[\w.@+-]+\/)+/g, "…/")
    .replace(/\b(?:0x)?[0-9a-f]{7,}\b/gi, "#")
    .replace(/\d+(?:\.\d+)?/g, "#")
    .replace(/\s+/g, " ")
    .trim();
}
