import type { HumanNode } from "../../model/node.ts";
import type { GateOpened } from "../../model/gate-events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readJson } from "../../model/json-text.ts";
import { readInput } from "../../runtime/admission/inputs.ts";
import { answerWords } from "../../views/words.ts";
import { type Problem, usage } from "../problem.ts";

type Typed = { readonly value: Json } | { readonly problem: Problem };

/**
 * The decision that a text is for this gate. What is no typed decision is none: it is refused and the gate stays open.
 */
export async function typedAnswer(text: string, gate: GateOpened, node: HumanNode | undefined): Promise<Typed> {
  switch (gate.mode) {
    case "approval":
      if (/^(?:y|yes|ok)$/i.test(text)) return { value: true };
      if (/^(?:n|no)$/i.test(text)) return { value: false };
      return { problem: usage(`${answerWords(text)} is neither yes nor no`, "An approval is a typed yes or no.") };
    case "input":
      return { value: text };
    case "choice":
      return node === undefined ? { value: text } : choice(text, node);
    case "form":
      return node === undefined ? { problem: usage(`the definition of ${gate.node} is gone`) } : form(text, node);
  }
}

function choice(text: string, { id, options = [] }: HumanNode): Typed {
  if (options.some((option) => option.id === text)) return { value: text };
  return {
    problem: usage(
      `${answerWords(text)} is no option of ${id}`,
      `There are: ${options.map((option) => option.id).join(", ")}`,
    ),
  };
}

/** All that does not fit is told at once, each by its field. */
async function form(text: string, { id, fields = {} }: HumanNode): Promise<Typed> {
  const given = parsed(text);
  if ("fault" in given)
    return {
      problem: usage(
        `the answer to ${id} is no JSON object: ${given.fault}`,
        `e.g. '{"${Object.keys(fields)[0] ?? "field"}": …}'`,
      ),
    };
  const problems = Object.keys(given.object)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${id} has no field ${name}; it has ${Object.keys(fields).join(", ")}`);
  const values = new Map<string, Json>();
  for (const [name, spec] of Object.entries(fields)) {
    const read = await readInput(spec, Object.hasOwn(given.object, name) ? given.object[name] : undefined);
    if ("problem" in read) problems.push(`field ${name} of ${id} ${read.problem}`);
    else values.set(name, read.value);
  }
  return problems.length === 0 ? { value: Object.fromEntries(values) } : { problem: usage(problems) };
}

function parsed(text: string): { readonly object: JsonObject } | { readonly fault: string } {
  const read = readJson(text);
  if ("problem" in read) return { fault: read.unread ?? `it ${read.problem}` };
  const { value } = read;
  if (isJsonObject(value)) return { object: value };
  return { fault: Array.isArray(value) ? "it is a list" : `it is ${JSON.stringify(value)}` };
}
