import { fits, wordsOf } from "../language/fields/schemas.ts";
import { nodesOf, references, soleReference } from "../language/template.ts";
import { allowsNull } from "../language/types.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { Node } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Template } from "../model/template.ts";
import type { OutputSpec, TypeSpec } from "../model/type-spec.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Values } from "../ports/performer.ts";
import type { RunFacts } from "./context.ts";
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

interface Promising {
  readonly node: Pick<Node, "id" | "expect">;
  readonly facts: Pick<RunFacts, "task" | "inputs"> & { readonly blueprint: Pick<Blueprint, "outputs"> };
  readonly blobs: BlobStore;
}

/**
 * A success of which each declared output that is made of this node's values alone has its type; else a failure without
 * the value, so that nobody is given it. What the node did not say at all is none.
 */
export async function heldToOutputs(
  { node: { id, expect }, facts, blobs }: Promising,
  result: NodeResult,
): Promise<NodeResult> {
  if (result.outcome !== "success" || expect === "failure") return result;
  const values = new RunValues({ ...facts, results: new Map([[id, result]]) }, blobs);
  for (const [name, { type, from }] of Object.entries(facts.blueprint.outputs)) {
    if (!isOf(id, { type, from })) continue;
    const saidNothing = result.value === undefined && result.ports === undefined && soleReference(from) !== undefined;
    const problem = await misfit(type, asType(type, await values.value(from)), from, saidNothing);
    if (problem === null) continue;
    const { value: _value, ports: _ports, ...said } = result;
    return { ...said, ...invalid(`outputs.${name} ${problem}`) };
  }
  return result;
}

/** Whether a node may be held to a declared output. */
export function isPromised({ id }: Pick<Node, "id">, { outputs }: Pick<Blueprint, "outputs">): boolean {
  return Object.values(outputs).some((output) => isOf(id, output));
}

/** Why declared outputs that no node has a part in do not have their types, as they would be from the start. */
export async function unfitFromStart(
  { outputs }: Pick<Blueprint, "outputs">,
  given: Pick<RunFacts, "task" | "inputs">,
  blobs: BlobStore,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, { type, from }] of Object.entries(outputs)) {
    if (nodesOf(from).size > 0) continue;
    const values = new RunValues({ ...given, results: new Map() }, blobs);
    const problem = await misfit(type, asType(type, await values.value(from)), from, false);
    if (problem !== null) problems.push(`outputs.${name} ${problem}`);
  }
  return problems;
}

/** Whatever a node says is text and JSON. */
function isOf(id: string, { type: { kind }, from }: OutputSpec): boolean {
  if (kind === "string" || kind === "json") return false;
  const nodes = nodesOf(from);
  return nodes.size === 1 && nodes.has(id);
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

async function misfit(type: TypeSpec, value: Json, from: Template, mayBeAbsent: boolean): Promise<string | null> {
  const { source } = from;
  if (value === null)
    return mayBeAbsent || allowsNull(type) ? null : `is declared ${wordsOf(type)}, and ${source} is not there`;
  if (type.kind === "schema") {
    const fault = await schemaFault(value, type.schema);
    return fault === null ? null : `has a schema that ${source} does not fit: ${fault}`;
  }
  if (fits(value, type)) return null;
  // What a run was given may be a secret, also where it is not marked here. What a node said is masked.
  const isSaid = references(from).every((ref) => ref.source === "node");
  return isSaid
    ? `is declared ${wordsOf(type)}, and ${source} is ${shortened(JSON.stringify(value))}`
    : `is declared ${wordsOf(type)}, which ${source} does not fit`;
}

function shortened(text: string): string {
  const most = limits.reasonCharacters / 3;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
