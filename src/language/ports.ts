import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Draft } from "./draft.ts";
import { isRefused } from "./draft.ts";
import { oneOfWords } from "./nearest.ts";

type Suggest = (word: string, candidates: Iterable<string>) => string;

export interface PortProblem {
  readonly message: string;
  readonly hint: string;
}

/** What an agent read outside of its context. */
const driftPort = "drift";

const streams = ["stdout", "stderr", "exit"];

/**
 * Why `{node.path…}` cannot exist, or undefined. A process can write any port to `$TRAMMEL_OUTPUT`, so only what is
 * known to be closed is refused: schemas, and nodes that write no ports.
 */
export function portProblem(node: Draft, path: readonly string[], suggest: Suggest): PortProblem | undefined {
  const [port, ...rest] = path;
  // What a callee gives is known once it is looked up; of a list, only its items.
  if (port === undefined || node.type === "call" || (node.type === "map" && /^\d+$/.test(port))) return undefined;
  const isAgent = node.type === "agent" || node.type === "agent_sandbox";
  if (isAgent && port === driftPort && rest.length === 0) return undefined;
  const runsProcess =
    node.type === "script" ||
    node.type === "tool" ||
    node.type === "exec" ||
    node.type === "plugin" ||
    node.type === "code";
  if (runsProcess && streams.includes(port)) {
    return rest.length === 0
      ? undefined
      : { message: `the port \`${port}\` has no parts`, hint: `Write {${node.id}.${port}}.` };
  }
  if (node.output?.as === "schema") return schemaProblem(node, node.output.schema, path, suggest);
  if (runsProcess || node.output?.as === "json" || isRefused(node, "output")) return undefined;
  if (node.type === "human" && (isRefused(node, "mode") || isRefused(node, "fields"))) return undefined;
  if (node.type === "human" && node.mode === "form") {
    const names = Object.keys(node.fields ?? {});
    return names.includes(port)
      ? undefined
      : {
          message: `the form \`${node.id}\` has no field \`${port}\`${suggest(port, names)}`,
          hint: `Its fields are ${oneOfWords(names)}.`,
        };
  }
  if (node.type === "decide")
    return { message: `decision \`${node.id}\` has no port \`${port}\``, hint: `Write {${node.id}}: the option.` };
  return {
    message: `${node.type} node \`${node.id}\` has no port \`${port}\``,
    hint: `Write {${node.id}}, or give the node an \`output\` schema.`,
  };
}

/** The same of a call whose blueprint is known; one without declared outputs gives what its last node does. */
export function outputProblem(
  call: string,
  outputs: Readonly<Record<string, unknown>>,
  [port]: readonly string[],
  suggest: Suggest,
): PortProblem | undefined {
  const names = Object.keys(outputs);
  if (port === undefined || names.length === 0 || names.includes(port)) return undefined;
  return {
    message: `the blueprint of call \`${call}\` has no output \`${port}\`${suggest(port, names)}`,
    hint: `Its outputs are ${oneOfWords(names)}.`,
  };
}

/**
 * A process may write ports of any name, so that of the node itself only a schema of an object says which there are.
 */
function schemaProblem(
  node: Draft,
  schema: JsonObject,
  path: readonly string[],
  suggest: Suggest,
): PortProblem | undefined {
  const [port = "", ...rest] = path;
  const part = isJsonObject(schema["properties"]) ? schemaAt(schema, [port]) : undefined;
  if (part !== undefined) return partProblem(`${node.id}.${port}`, part, rest, suggest);
  return isJsonObject(schema["properties"]) ? partProblem(node.id, schema, path, suggest) : undefined;
}

/** Why a value that a schema holds cannot have the part that a path leads to; undefined where it may. */
export function partProblem(
  whole: string,
  schema: JsonObject,
  [step, ...rest]: readonly string[],
  suggest: Suggest,
): PortProblem | undefined {
  if (step === undefined) return undefined;
  const part = schemaAt(schema, [step]);
  if (part !== undefined) return partProblem(`${whole}.${step}`, part, rest, suggest);
  const { type, properties } = schema;
  if (isJsonObject(properties) && schema["additionalProperties"] === false) {
    const names = Object.keys(properties);
    if (Object.hasOwn(properties, step)) return undefined;
    return {
      message: `\`${whole}\` has no field \`${step}\`${suggest(step, names)}`,
      hint: names.length === 0 ? `Write {${whole}}.` : `Its fields are ${oneOfWords(names)}.`,
    };
  }
  if (type === "array" && !/^\d+$/.test(step))
    return {
      message: `\`${whole}\` is a list and has no field \`${step}\``,
      hint: `Write {${whole}.0} for its first item.`,
    };
  if (typeof type !== "string" || type === "array" || type === "object") return undefined;
  return { message: `\`${whole}\` is ${typeWords(type)} and has no part \`${step}\``, hint: `Write {${whole}}.` };
}

/** A type of JSON Schema, to follow "is". */
export function typeWords(type: string): string {
  switch (type) {
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "string":
      return "text";
    default:
      return `\`${type}\``;
  }
}

/** What a schema says of a part of its values; undefined where it does not say. */
export function schemaAt(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  let at: Json | undefined = schema;
  for (const step of path) {
    if (!isJsonObject(at)) return undefined;
    const properties: Json | undefined = at["properties"];
    if (isJsonObject(properties) && Object.hasOwn(properties, step)) at = properties[step];
    else at = at["type"] === "array" && /^\d+$/.test(step) ? at["items"] : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}
