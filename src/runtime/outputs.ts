import { fits, wordsOf } from "../language/fields/schemas.ts";
import { soleReference } from "../language/template.ts";
import { allowsNull } from "../language/types.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { Node } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Template } from "../model/template.ts";
import type { TypeSpec } from "../model/type-spec.ts";
import type { ActionContext, Values } from "../ports/performer.ts";
import { invalid, schemaFault } from "./validation/said-value.ts";
import { RunValues, textOfJson } from "./values.ts";

/**
 * The declared outputs of a run that succeeded; undefined where there are
 * none. What does not exist is empty text or null.
 */
export async function declaredOutputs(
  { outputs }: Pick<Blueprint, "outputs">,
  values: Pick<Values, "value">,
): Promise<Readonly<Record<string, Json>> | undefined> {
  const found: [string, Json][] = [];
  for (const [name, { type, from }] of Object.entries(outputs))
    found.push([name, asType(type, await values.value(from))]);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * A success of which each declared output that is a reference to the node has its type; else a failure without the
 * value, so that nobody is given it. What the node did not say at all is none.
 */
export async function heldToOutputs(
  { node: { id, expect }, blueprint: { outputs }, can: { blobs } }: Pick<ActionContext, "node" | "blueprint" | "can">,
  result: NodeResult,
): Promise<NodeResult> {
  if (result.outcome !== "success" || expect === "failure") return result;
  const values = new RunValues({ task: "", inputs: {}, results: new Map([[id, result]]) }, blobs);
  for (const [name, { type, from }] of Object.entries(outputs)) {
    if (!isOf(id, from)) continue;
    const problem = await misfit(type, asType(type, await values.value(from)), from, result);
    if (problem === null) continue;
    const { value: _value, ports: _ports, ...said } = result;
    return { ...said, ...invalid(`outputs.${name} ${problem}`) };
  }
  return result;
}

/** Whether a node may be held to a declared output. */
export function isPromised({ id }: Pick<Node, "id">, { outputs }: Pick<Blueprint, "outputs">): boolean {
  return Object.values(outputs).some(({ from }) => isOf(id, from));
}

function isOf(id: string, from: Template): boolean {
  const ref = soleReference(from);
  return ref?.source === "node" && ref.name === id;
}

/** A text is what a value says; a word of a command ends before its line break. */
function asType({ kind }: TypeSpec, value: Json): Json {
  switch (kind) {
    case "string":
      return textOfJson(value);
    case "enum":
    case "file":
    case "path":
    case "duration":
      return typeof value === "string" ? value.replace(/\r?\n$/, "") : value;
    default:
      return value;
  }
}

async function misfit(type: TypeSpec, value: Json, from: Template, result: NodeResult): Promise<string | null> {
  const { source } = from;
  if (value === null) {
    const saidNothing = result.value === undefined && result.ports === undefined;
    return saidNothing || allowsNull(type) ? null : `is declared ${wordsOf(type)}, and ${source} is not there`;
  }
  if (type.kind !== "schema")
    return fits(value, type)
      ? null
      : `is declared ${wordsOf(type)}, and ${source} is ${shortened(JSON.stringify(value))}`;
  const fault = await schemaFault(value, type.schema);
  return fault === null ? null : `has a schema that ${source} does not fit: ${fault}`;
}

function shortened(text: string): string {
  const most = limits.reasonCharacters / 3;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
