import type { InputSpec } from "../model/blueprint.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Draft } from "./draft.ts";
import { isRefused } from "./draft.ts";
import { schemaAt } from "./ports.ts";
import { typeSchema } from "./types.ts";

/** Where the value of a port comes from. The last two were never seen by the author. */
export type Origin = "authored" | "operator" | "agent" | "process";

/** What `{node.path…}` can hold. A value whose schema leaves only numbers or listed or patterned texts is as good as authored. */
export function originOf(node: Draft, path: readonly string[]): Origin {
  switch (node.type) {
    case "provision":
    case "checkout":
    case "wait":
    case "decide":
      return "authored";
    case "human":
      return "operator";
    // Of an agent with options, too: what it says ends with one, and may begin with anything.
    case "agent":
    case "agent_sandbox":
      return isNarrow(node, path) ? "authored" : "agent";
    case "call":
    case "map":
      return "process";
    case "script":
    case "tool":
    case "exec":
    case "code":
    case "plugin":
      if (isNarrow(node, path)) return "authored";
      if (node.type === "plugin" && node.agentic === true) return "agent";
      return path[0] === "exit" ? "authored" : "process";
  }
}

/**
 * Whether a schema holds what a path leads to. `{node}` itself is text as it came, after a failure also what did not fit, and so are its
 * streams whatever the schema calls by their names.
 */
function isNarrow(node: Draft, path: readonly string[]): boolean {
  // What could not be read may well narrow it.
  if (isRefused(node, "output") || isRefused(node, "options")) return true;
  if (path.length === 0 || path[0] === "stdout" || path[0] === "stderr") return false;
  if (node.output?.as !== "schema") return false;
  const at = schemaAt(node.output.schema, path);
  return at !== undefined && narrows(at);
}

/** Whether what an input declares holds `{inputs.name.path…}` as well as an author would. */
export function holdsInput({ type, enum: allowed, pattern }: InputSpec, path: readonly string[]): boolean {
  if (allowed !== undefined) return true;
  const at = schemaAt(typeSchema(type), path);
  return at !== undefined && narrows(path.length > 0 || pattern === undefined ? at : { ...at, pattern });
}

function narrows(schema: JsonObject): boolean {
  if (Array.isArray(schema["enum"]) || schema["const"] !== undefined) return true;
  const { type, items } = schema;
  if (type === "array") return isObject(items) && narrows(items);
  return (
    type === "integer" ||
    type === "number" ||
    type === "boolean" ||
    (type === "string" && typeof schema["pattern"] === "string" && isAnchored(schema["pattern"]))
  );
}

/** A pattern of JSON Schema may match anywhere in a text unless it says that it holds the whole of it, in each of its alternatives. */
function isAnchored(pattern: string): boolean {
  const shape = pattern.replace(/\\[^]/g, "_").replace(/\[[^\]]*\]/g, "_");
  return shape.startsWith("^") && shape.endsWith("$") && !withoutGroups(shape).includes("|");
}

function withoutGroups(shape: string): string {
  let depth = 0;
  return Array.from(shape, (letter) => {
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    return depth > 0 ? "" : letter;
  }).join("");
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
