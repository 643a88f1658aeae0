import type { HumanNode } from "../../model/node.ts";
import type { GateOpened } from "../../model/events.ts";
import type { Json } from "../../model/json.ts";
import { readInput } from "../../runtime/admission/inputs.ts";
import { type Problem, usage } from "../problem.ts";

/**
 * The decision that a text is for this gate. What is no typed decision is none: it is refused and the gate stays open.
 */
export async function typedAnswer(
  text: string,
  gate: GateOpened,
  node: HumanNode | undefined,
): Promise<{ readonly value: Json } | { readonly problem: Problem }> {
  switch (gate.mode) {
    case "approval":
      if (/^(?:y|yes|ok)$/i.test(text)) return { value: true };
      if (/^(?:n|no)$/i.test(text)) return { value: false };
      return { problem: usage(`${text} is neither yes nor no`, "An approval is a typed yes or no.") };
    case "input":
      return { value: text };
    case "choice":
      return node === undefined ? { value: text } : choice(text, node);
    case "form":
      return node === undefined ? { problem: usage(`the definition of ${gate.node} is gone`) } : form(text, node);
  }
}

function choice(
  text: string,
  { id, options = [] }: HumanNode,
): { readonly value: Json } | { readonly problem: Problem } {
  if (options.some((option) => option.id === text)) return { value: text };
  return {
    problem: usage(`${text} is no option of ${id}`, `There are: ${options.map((option) => option.id).join(", ")}`),
  };
}

async function form(
  text: string,
  { id, fields = {} }: HumanNode,
): Promise<{ readonly value: Json } | { readonly problem: Problem }> {
  const given = parsed(text);
  if (given === null)
    return {
      problem: usage(`the answer to ${id} is no JSON object`, `e.g. '{"${Object.keys(fields)[0] ?? "field"}": …}'`),
    };
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (stranger !== undefined)
    return { problem: usage(`${id} has no field ${stranger}`, `It has: ${Object.keys(fields).join(", ")}`) };
  const values = new Map<string, Json>();
  for (const [name, spec] of Object.entries(fields)) {
    const read = await readInput(spec, Object.hasOwn(given, name) ? given[name] : undefined);
    if ("problem" in read) return { problem: usage(`field ${name} of ${id} ${read.problem}`) };
    values.set(name, read.value);
  }
  return { value: Object.fromEntries(values) };
}

function parsed(text: string): Readonly<Record<string, Json>> | null {
  try {
    const value = JSON.parse(text) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Readonly<Record<string, Json>>)
      : null;
  } catch {
    return null;
  }
}
