import type { Json, JsonObject } from "../model/json.ts";
import type { Draft } from "./draft.ts";
import { isRefused } from "./draft.ts";

/** Where the value of a port comes from. The last two were never seen by the author. */
export type Origin = "authored" | "operator" | "agent" | "process";

/** What `{node.path…}` can hold. A value whose schema leaves only numbers or listed or patterned texts is as good as authored. */
export function originOf(node: Draft, path: readonly string[]): Origin {
  switch (node.type) {
    case "provision":
    case "checkout":
    case "wait":
      return "authored";
    case "human":
      return "operator";
    case "agent":
      return (path.length === 0 && (node.options ?? []).length > 0) || isNarrow(node, path) ? "authored" : "agent";
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

function isNarrow(node: Draft, path: readonly string[]): boolean {
  // What could not be read may well narrow it.
  if (isRefused(node, "output") || isRefused(node, "options")) return true;
  if (node.output?.as !== "schema") return false;
  let at: Json | undefined = node.output.schema;
  for (const step of path) {
    if (!isObject(at)) return false;
    const properties: Json | undefined = at["properties"];
    at = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : at["items"];
  }
  return isObject(at) && narrows(at);
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

/** A pattern of JSON Schema may match anywhere in a text unless it says that it holds the whole of it. */
function isAnchored(pattern: string): boolean {
  return pattern.startsWith("^") && pattern.endsWith("$") && !pattern.endsWith("\\$");
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
