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
  const fallback = spec.default === undefined ? "" : ` [${inert(JSON.stringify(spec.default))}]`;
  for (;;) {
    say(`${name}${about}${fallback}: `);
    const typed = await line();
    if (typed === null) return null;
    const read = await readInput(spec, typed === "" && spec.default !== undefined ? undefined : typed);
    if (!("problem" in read)) return read;
    say(`  ${name} ${read.problem}\n`);
  }
}
