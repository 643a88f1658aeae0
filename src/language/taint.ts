import type { InputSpec } from "../model/type-spec.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { Draft } from "./draft.ts";
import { isRefused } from "./draft.ts";
import { leavesPlainText } from "./patterns/plain.ts";
import { schemaAt } from "./ports.ts";
import { typeSchema } from "./types.ts";

/** Where the value of a port comes from. The last two were never seen by the author. */
export type Origin = "authored" | "operator" | "agent" | "process";

/**
 * What `{node.path…}` can hold. A value whose schema leaves only numbers or
 * listed or patterned texts is as good as authored.
 */
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
 * Whether a schema holds what a path leads to. `{node}` itself is text as it came, after a failure also what did not
 * fit, and so are its streams whatever the schema calls by their names.
 */
function isNarrow(node: Draft, path: readonly string[]): boolean {
  // What could not be read may well narrow it.
  if (isRefused(node, "output") || isRefused(node, "options")) return true;
  if (path.length === 0 || path[0] === "stdout" || path[0] === "stderr") return false;
  if (node.output?.as !== "schema") return false;
  const at = schemaAt(node.output.schema, path);
  return at !== undefined && narrows(at);
}

/** Whether a pattern is there for what `{node.path…}` can hold, and lets through more than plain text. */
export function hasLoosePattern(node: Draft, path: readonly string[]): boolean {
  if (node.output?.as !== "schema" || path.length === 0) return false;
  const pattern = schemaAt(node.output.schema, path)?.["pattern"];
  return typeof pattern === "string" && !leavesPlainText(pattern, false);
}

/** Whether what an input declares holds `{inputs.name.path…}` as well as an author would. */
export function holdsInput({ type, enum: allowed, pattern }: InputSpec, path: readonly string[]): boolean {
  if (allowed !== undefined) return true;
  if (path.length === 0 && pattern !== undefined) return leavesPlainText(pattern, true);
  const at = schemaAt(typeSchema(type), path);
  return at !== undefined && narrows(at);
}

function narrows(schema: JsonObject): boolean {
  if (Array.isArray(schema["enum"]) || schema["const"] !== undefined) return true;
  const { type, items } = schema;
  if (type === "array") return isJsonObject(items) && narrows(items);
  return (
    type === "integer" ||
    type === "number" ||
    type === "boolean" ||
    (type === "string" && typeof schema["pattern"] === "string" && leavesPlainText(schema["pattern"], false))
  );
}
