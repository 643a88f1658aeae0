import type { ToolArgument, ToolNode } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult, Reason } from "../model/outcome.ts";
import { executedArguments } from "../model/tools.ts";
import type { ActionContext, Capabilities, Performer } from "../ports/performer.ts";
import type { Tool, ToolResult } from "../ports/tool.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import { compileSchema } from "../runtime/validation/schema.ts";
import { argumentsOf } from "./arguments.ts";
import { saidValue } from "../runtime/validation/said-value.ts";
import { journaled } from "./texts.ts";

/** Performs `tool` nodes: the tools an agent has, with arguments that the document fixes. */
export const tool: Performer<ToolNode> = { type: "tool", class: "deterministic", missing, perform };

function missing(node: ToolNode, can: Capabilities): string | null {
  const found = can.tools.get(node.tool);
  if (found === undefined) return `there is no tool "${node.tool}"; there are: ${can.tools.names().join(", ")}`;
  const { required, properties } = shapeOf(found);
  const absent = required.find((name) => !(name in node.args));
  if (absent !== undefined) return `${node.tool} needs the argument "${absent}"`;
  const unknown = Object.keys(node.args).find((name) => !properties.includes(name));
  if (unknown === undefined) return commandProblem(node);
  const takes = properties.length === 0 ? "none" : properties.join(", ");
  return `${node.tool} has no argument "${unknown}"; it takes ${takes}`;
}

/** Also where the checker was silenced: a value in a command would be run. */
function commandProblem({ tool: name, args }: ToolNode): string | null {
  const filled = executedArguments(name).find((key) => args[key] !== undefined && hasReference(args[key]));
  if (filled === undefined) return null;
  return `\`${filled}\` of ${name} is executed and takes no references; pass values by \`env\``;
}

function hasReference(argument: ToolArgument): boolean {
  switch (argument.kind) {
    case "literal":
      return false;
    case "template":
      return argument.template.parts.some((part) => "ref" in part);
    case "list":
      return argument.items.some(hasReference);
    case "map":
      return Object.values(argument.entries).some(hasReference);
  }
}

async function perform(context: ActionContext<ToolNode>): Promise<NodeResult> {
  try {
    return await call(context);
  } catch (error) {
    if (!(error instanceof BlobFailure)) throw error;
    return { outcome: "error", reason: { code: "spill", text: error.message } };
  }
}

async function call(context: ActionContext<ToolNode>): Promise<NodeResult> {
  const { node, can, values } = context;
  const found = can.tools.get(node.tool);
  if (found === undefined) return refused("could_not_start", `there is no tool "${node.tool}"`);
  const args = await argumentsOf(node.args, values);
  const problem = await problemOf(args, found);
  if (problem !== null) return refused("tool_error", `${node.tool}: ${problem}`);
  const { memoryBytes } = context.blueprint.limits;
  const result = await found.call(args, {
    workspace: context.cwd,
    env: await context.environment(),
    processes: can.processes,
    timeoutMs: context.timeoutMs ?? limits.deterministicTimeoutMs,
    outputBytes: context.outputBytes,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    signal: context.signal,
    onLine: (text, stream) => context.report({ kind: "line", stream, text }),
  });
  const ended = { ...nodeResult(result), output: await journaled(result.output, can.blobs) };
  if (ended.outcome !== "success") return ended;
  return { ...ended, ...(await saidValue(result.output, node.output, can.blobs, `what ${node.tool} said`)) };
}

function nodeResult(result: ToolResult): NodeResult {
  const { outcome, exit, survivors } = result;
  const reason = outcome === "success" ? null : reasonOf(result);
  return {
    outcome,
    ...(exit === undefined ? {} : { exit }),
    ...(reason === null ? {} : { reason }),
    ...(survivors === undefined ? {} : { survivors }),
  };
}

function reasonOf({ outcome, problem, exit, timedOut }: ToolResult): Reason {
  if (outcome === "cancelled") return { code: "cancelled", text: problem ?? "cancelled" };
  if (timedOut === true) return { code: "timeout", text: problem ?? "took too long" };
  if (exit === undefined) return { code: "tool_error", text: problem ?? "the tool gave no reason" };
  const code = outcome === "error" ? "could_not_start" : "exit";
  return { code, text: problem ?? `exit code ${exit}` };
}

function refused(code: Reason["code"], text: string): NodeResult {
  return { outcome: "error", reason: { code, text }, beforeEffect: true };
}

async function problemOf(args: Readonly<Record<string, Json>>, { input }: Tool): Promise<string | null> {
  const validate = await compileSchema(input, { foreign: true });
  return typeof validate === "function" ? validate(args) : validate.invalid;
}

function shapeOf({ input }: Tool): { readonly required: readonly string[]; readonly properties: readonly string[] } {
  const { required, properties } = input;
  return {
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
    properties: typeof properties === "object" && properties !== null ? Object.keys(properties) : [],
  };
}
