import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { classOf, type Blueprint, type InputSpec, type Node, type NodeType, type TypeSpec } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { Capabilities, Performer } from "../ports/performer.ts";
import type { Refusal, StartRequest } from "./api.ts";

export type Performers = ReadonlyMap<NodeType, Performer>;

export interface Admitted {
  /** With the defaults filled in. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** The working tree that the run needs to itself, or null. */
  readonly tree: string | null;
}

/** Everything that can be known to fail is said before the first effect, all of it at once. */
export function admit(request: StartRequest, performers: Performers, can: Capabilities): Admitted | Refusal {
  const { blueprint, maxSteps, maxRetries, task } = request;
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0))
    return refuse("bad_input", `the most steps must be a whole number from 1, not ${maxSteps}`);
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= limits.retriesMax))
    return refuse("bad_input", `the most retries must be a whole number from 0 to ${limits.retriesMax}, not ${maxRetries}`);
  if (Buffer.byteLength(task) > limits.taskBytes)
    return refuse("bad_input", `the task is longer than ${limits.taskBytes} bytes`, "put it into a file and name the file");
  if (!existsSync(request.cwd))
    return refuse("bad_input", `the working folder ${request.cwd} does not exist`, "make it or choose another with --cwd");
  const inputs = inputsOf(blueprint, request.inputs);
  if ("refused" in inputs) return inputs;
  const missing = missingIn(blueprint, performers, can);
  if (missing.length > 0) return refuse("missing_capability", missing.join("\n"));
  return { inputs, tree: locksTree(blueprint, can) ? treeOf(request.cwd) : null };
}

/** Why nodes cannot run here, one line each. */
export function missingIn(blueprint: Blueprint, performers: Performers, can: Capabilities): readonly string[] {
  const lines = [...unsupported(blueprint)];
  for (const node of blueprint.nodes.values()) {
    const performer = performers.get(node.type);
    const missing =
      performer === undefined ? `node ${node.id}: nothing here performs type ${node.type}` : performer.missing(node, can);
    if (missing !== null) lines.push(missing);
  }
  return [...new Set(lines)];
}

/** What the language has and no run carries out yet. Refused, since leaving it out would change what the document promises. */
function unsupported({ workspace, limits: bounds, nodes }: Blueprint): readonly string[] {
  const settings = [
    workspace.isolate === "worktree" ? "workspace.isolate: worktree" : null,
    workspace.checkpoint === true ? "workspace.checkpoint" : null,
    workspace.setup === undefined ? null : "workspace.setup",
    workspace.carry === undefined ? null : "workspace.carry",
    workspace.protect === undefined ? null : "workspace.protect",
    bounds.tokens === undefined ? null : "limits.tokens",
    bounds.cost === undefined ? null : "limits.cost",
  ].flatMap((key) => (key === null ? [] : [`${key} is not carried out yet`]));
  const ofNodes = [...nodes.values()].flatMap((node) =>
    (["progress", "effect", "writes"] as const)
      .filter((key) => node[key] !== undefined)
      .map((key) => `node ${node.id}: ${key} is not carried out yet`),
  );
  return [...settings, ...ofNodes];
}

function inputsOf(
  blueprint: Blueprint,
  given: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> | Refusal {
  const known = Object.keys(blueprint.inputs);
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(blueprint.inputs, name))
    .map((name) => `there is no input "${name}"${known.length > 0 ? `; there are: ${known.join(", ")}` : ""}`);
  const inputs: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(blueprint.inputs)) {
    const value = Object.hasOwn(given, name) ? given[name] : spec.default;
    if (value === undefined) {
      problems.push(`input "${name}" is missing${spec.description === undefined ? "" : `: ${spec.description}`}`);
      continue;
    }
    const typed = valueOf(spec.type, value);
    const problem = typed === undefined ? `is not ${wordsOf(spec.type)}` : mismatch(spec, typed);
    if (problem !== null) problems.push(`input "${name}" ${problem}`);
    else if (typed !== undefined) inputs[name] = typed;
  }
  return problems.length > 0 ? refuse("bad_input", problems.join("\n"), "give inputs as --input name=value") : inputs;
}

/** The value in the type of its input; what a command line gives is text. Undefined where it does not fit. */
function valueOf(type: TypeSpec, value: Json): Json | undefined {
  switch (type.kind) {
    case "string":
    case "file":
    case "path":
    case "duration":
      return typeof value === "string" ? value : undefined;
    case "number":
    case "integer": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
      return type.kind === "integer" && !Number.isInteger(number) ? undefined : number;
    }
    case "boolean":
      if (value === "true" || value === "false") return value === "true";
      return typeof value === "boolean" ? value : undefined;
    case "enum":
      return typeof value === "string" && type.values.includes(value) ? value : undefined;
    case "list": {
      const list = parsed(value);
      if (!Array.isArray(list)) return undefined;
      const items = list.map((item: Json) => valueOf(type.of, item));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "json":
    case "schema":
      return parsed(value);
  }
}

function parsed(value: Json): Json | undefined {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as Json; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}

function mismatch(spec: InputSpec, value: Json): string | null {
  const allowed = spec.enum;
  if (allowed !== undefined && !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    return `is none of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`;
  if (spec.pattern !== undefined && typeof value === "string" && !new RegExp(spec.pattern, "u").test(value))
    return `does not match ${spec.pattern}`;
  return null;
}

function wordsOf(type: TypeSpec): string {
  switch (type.kind) {
    case "list":
      return `a list of ${wordsOf(type.of)}`;
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "schema":
      return "JSON";
    default:
      return type.kind;
  }
}

/** A run that lets agents or git work in the tree shares it with no other. */
function locksTree(blueprint: Blueprint, can: Capabilities): boolean {
  return [...blueprint.nodes.values()].some((node) => classOf(node) === "agentic" || isGitWrite(node, can));
}

function isGitWrite(node: Node, can: Capabilities): boolean {
  return node.type === "tool" && node.tool.startsWith("git_") && can.tools.get(node.tool)?.access !== "read";
}

/** The repository around a folder, or the folder, by its real path. */
function treeOf(cwd: string): string {
  const real = realpathSync(cwd);
  for (let folder = real; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return real;
  }
}

export function refuse(refused: Refusal["refused"], message: string, hint?: string): Refusal {
  return hint === undefined ? { refused, message } : { refused, message, hint };
}
