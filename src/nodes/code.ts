import { rm } from "node:fs/promises";
import type { CodeNode } from "../model/node.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import type { ProcessResult } from "../ports/processes.ts";
import { scratchFile, takeScratch, writeScratch } from "../runtime/scratch/scratch.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { compileSchema } from "../runtime/validation/schema.ts";
import { argumentsOf } from "./arguments.ts";
import { mainProgram, moduleOf } from "./code-program.ts";
import { type Ran, runCommand } from "./run-command.ts";
import { invalid } from "../runtime/validation/said-value.ts";
import { journaled } from "./texts.ts";

/** Performs `code` nodes: a function body in a Node process of its own, values in and out by file. */
export function createCodePerformer(redactor: Redactor): Performer<CodeNode> {
  return {
    type: "code",
    class: "deterministic",
    missing(node) {
      const made = moduleOf(node);
      return "problem" in made ? made.problem : null;
    },
    async perform(context) {
      const made = moduleOf(context.node);
      if ("problem" in made)
        return { outcome: "error", reason: { code: "could_not_start", text: made.problem }, beforeEffect: true };
      const values = Object.values(await argumentsOf(context.node.with ?? {}, context.values));
      return inFiles(made.source, values, context, redactor);
    },
  };
}

async function inFiles(
  source: string,
  values: readonly Json[],
  context: ActionContext<CodeNode>,
  redactor: Redactor,
): Promise<NodeResult> {
  const main = scratchFile(".mjs");
  const body = scratchFile(context.node.language === "ts" ? ".mts" : ".mjs");
  const input = scratchFile();
  const answer = scratchFile();
  try {
    await Promise.all([
      writeScratch(main, mainProgram),
      writeScratch(body, source),
      writeScratch(input, JSON.stringify(values)),
    ]);
    const argv = [process.execPath, ...nodeOptions(context), main, body, input, answer];
    const env = await context.environment();
    const ran = await runCommand(context, { argv, cwd: context.cwd, env }, redactor);
    const taken = await takeScratch(answer, limits.parsedOutputBytes);
    if (taken === null) return ran.result;
    if ("problem" in taken)
      return { ...ran.result, ...(ran.result.outcome === "success" && invalid(`the returned value ${taken.problem}`)) };
    return await resultOf(redactor.json(parsed(taken.text)), ran, context);
  } finally {
    await Promise.all([main, body, input].map((file) => rm(file, { force: true })));
  }
}

/** A limit on the heap: under one on its data segment Node would not even start. */
function nodeOptions({ node, blueprint }: ActionContext<CodeNode>): readonly string[] {
  const { memoryBytes } = blueprint.limits;
  const heap =
    memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.max(1, Math.floor(memoryBytes / 1024 / 1024))}`];
  return node.language === "ts" ? [...heap, "--disable-warning=ExperimentalWarning"] : heap;
}

/** Written by the main program; what else is there was written over it. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

async function resultOf(answer: Json, { result, process }: Ran, context: ActionContext<CodeNode>): Promise<NodeResult> {
  if (!isJsonObject(answer))
    return { ...result, ...(result.outcome === "success" && invalid("the returned value is no JSON")) };
  if (result.outcome === "success") return succeeded(answer, result, process, context);
  const { broken, problem } = answer;
  if (typeof broken === "string" && result.exit === 126) {
    return { ...result, reason: { code: "could_not_start", text: `body: ${oneLine(broken)}` }, beforeEffect: true };
  }
  if (typeof problem !== "string" || result.exit !== 1) return result;
  return { ...result, reason: { code: "exit", text: oneLine(problem) } };
}

/** What it says is the value; what it printed is beside it. */
async function succeeded(
  { value }: JsonObject,
  result: NodeResult,
  { stdout, stderr }: ProcessResult,
  { node, can }: ActionContext<CodeNode>,
): Promise<NodeResult> {
  if (value === undefined) return { ...result, ...invalid("the returned value is no JSON") };
  const problem = await schemaProblem(node, value);
  if (problem !== null) return { ...result, ...invalid(problem) };
  const text = typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
  const output: CapturedText = await journaled({ text, bytes: Buffer.byteLength(text) }, can.blobs);
  return { ...result, value, output, stdout, stderr };
}

async function schemaProblem({ output }: CodeNode, value: Json): Promise<string | null> {
  if (output?.as !== "schema") return null;
  const validate = await compileSchema(output.schema);
  if (typeof validate !== "function") return `the schema of \`output\` cannot be used: ${validate.invalid}`;
  const problem = validate(value);
  return problem === null ? null : `the returned value does not fit the schema: ${problem}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= limits.reasonCharacters ? line : `${line.slice(0, limits.reasonCharacters).toWellFormed()}…`;
}
