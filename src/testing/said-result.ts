import type { Json } from "../model/json.ts";
import { classOf } from "../model/node.ts";
import type { NodeResult, Reason } from "../model/outcome.ts";
import { saidUsage } from "../model/usage.ts";
import { resultOf } from "../nodes/process-result.ts";
import type { ActionContext } from "../ports/performer.ts";
import { captureText } from "../runtime/attempts/capture.ts";
import { parseOutput } from "../runtime/validation/output.ts";
import type { Said } from "./file.ts";
import { optionsOf } from "./fits.ts";
import { writeInTree } from "./tree-file.ts";

/**
 * Does what a test says of an attempt, as far as there is anything to do, and answers what such
 * a node would. Rejects where its files cannot be written.
 */
export async function actAsSaid(said: Said, context: ActionContext): Promise<NodeResult> {
  for (const [path, content] of Object.entries(said.files ?? {})) await writeInTree(context.cwd, path, content);
  const { node, can } = context;
  const texts = textsOf(said);
  const [output, stdout, stderr] = await Promise.all(
    [texts.output, texts.stdout, texts.stderr].map((text) => captureText(text, can.blobs)),
  );
  if (output === undefined || stdout === undefined || stderr === undefined) throw new Error("three texts are captured");
  const outcome = said.outcome ?? ((said.exit ?? 0) === 0 ? "success" : "failure");
  const isCommand = node.type === "script" || node.type === "exec" || node.type === "code" || node.type === "tool";
  const end = { kind: "exit", code: said.exit ?? (outcome === "success" ? 0 : 1) } as const;
  const result: NodeResult = isCommand
    ? resultOf({ end, output, stdout, stderr, survivors: [] }, context.timeoutMs)
    : { outcome: "success", output, ...(classOf(node) === "agentic" && { agent, usage: saidUsage(said) }) };
  const ports = said.ports === undefined ? {} : { ports: said.ports };
  if (outcome !== "success")
    return {
      ...result,
      ...ports,
      outcome: outcome === "error" ? "error" : "failure",
      ...failed(said, outcome, result),
    };
  const option = optionsOf(node).length === 0 ? undefined : (said.option ?? said.word);
  return {
    ...result,
    ...ports,
    outcome,
    ...(option === undefined ? {} : { option }),
    ...(await valueOf(said, texts.stdout, context)),
  };
}

const agent = { provider: "script" };

function textsOf({
  output,
  stdout,
  stderr,
  value,
  option,
  word,
}: Said): Record<"output" | "stdout" | "stderr", string> {
  const said = output ?? (value === undefined ? (option ?? word) : asText(value)) ?? "";
  const own = stdout ?? (output === undefined && stderr !== undefined && value === undefined ? "" : said);
  return { output: output ?? `${own}${stderr ?? ""}`, stdout: own, stderr: stderr ?? "" };
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What `output:` makes of it, so that a value the node could not have is none. */
async function valueOf({ value }: Said, stdout: string, { node }: ActionContext): Promise<Partial<NodeResult>> {
  const format = node.output;
  if (format === undefined || format.as === "text") return value === undefined ? {} : { value };
  const text = value !== undefined && format.as !== "lines" ? JSON.stringify(value) : stdout;
  const parsed = await parseOutput(text, format);
  if ("value" in parsed) return parsed;
  return { outcome: "failure", reason: { code: "output_invalid", text: parsed.problem } };
}

function failed({ reason, beforeEffect }: Said, outcome: string, { reason: own }: NodeResult): Partial<NodeResult> {
  const before = beforeEffect === undefined ? {} : { beforeEffect };
  return { ...before, reason: because(reason, outcome, own) };
}

function because(text: string | undefined, outcome: string, own: Reason | undefined): Reason {
  switch (outcome) {
    case "timeout":
      return { code: "timeout", text: text ?? "no end in time, as the test says" };
    case "error":
      return { code: "could_not_start", text: text ?? "an error, as the test says" };
    default:
      return own === undefined || text !== undefined
        ? { code: own?.code ?? "give_up", text: text ?? "a failure, as the test says" }
        : own;
  }
}
