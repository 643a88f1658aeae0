import type { InputSpec } from "../../model/type-spec.ts";
import type { Json } from "../../model/json.ts";
import { readInput } from "../../runtime/admission/inputs.ts";
import { inert } from "../../views/inert.ts";

/**
 * Asks one field after the other; an empty line takes the default, and what does
 * not fit is asked again. Null when no line came.
 */
export async function fillForm(
  fields: Readonly<Record<string, InputSpec>>,
  say: (text: string) => void,
  line: () => Promise<string | null>,
): Promise<Readonly<Record<string, Json>> | null> {
  const values = new Map<string, Json>();
  for (const [name, spec] of Object.entries(fields)) {
    const value = await fillField(name, spec, say, line);
    if (value === null) return null;
    values.set(name, value.value);
  }
  return Object.fromEntries(values);
}

async function fillField(
  name: string,
  spec: InputSpec,
  say: (text: string) => void,
  line: () => Promise<string | null>,
): Promise<{ readonly value: Json } | null> {
  const about = spec.description === undefined ? "" : ` (${inert(spec.description)})`;
  const choices = choicesOf(spec);
  const fallback = spec.default === undefined ? "" : ` [${inert(JSON.stringify(spec.default))}]`;
  for (;;) {
    say(`${name}${about}${choices}${fallback}: `);
    const typed = await line();
    if (typed === null) return null;
    const read = await readInput(spec, typed === "" && spec.default !== undefined ? undefined : meant(spec, typed));
    if (!("problem" in read)) return read;
    say(`  ${name} ${read.problem}\n`);
  }
}

/** What there is to choose from where it is not much. */
function choicesOf({ type, enum: allowed }: InputSpec): string {
  if (type.kind === "boolean") return " yes|no";
  const values =
    type.kind === "enum" ? type.values : allowed?.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return values === undefined ? "" : ` ${inert(values.join("|"))}`;
}

/** At a terminal a person says yes and no; in JSON it is true and false. */
function meant({ type }: InputSpec, typed: string): string {
  if (type.kind !== "boolean") return typed;
  const word = typed.trim().toLowerCase();
  if (word === "y" || word === "yes") return "true";
  return word === "n" || word === "no" ? "false" : typed;
}
