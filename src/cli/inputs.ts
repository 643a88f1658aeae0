import type { Json } from "../model/json.ts";
import { readDocument } from "./document.ts";
import { isProblem, type Problem, usage } from "./problem.ts";

type Inputs = Readonly<Record<string, Json>>;
type InputsResult = { readonly values: Inputs } | { readonly problem: Problem };

/** Values of `--input-file` and `--input name=value`, the latter winning. Admission reads a text by the type that the blueprint declares. */
export async function readInputs(
  file: string | undefined,
  given: readonly string[],
  cwd: string,
): Promise<InputsResult> {
  const values = new Map<string, Json>();
  if (file !== undefined) {
    const read = await readInputFile(file, cwd);
    if ("problem" in read) return read;
    for (const [name, value] of Object.entries(read.values)) values.set(name, value);
  }
  for (const one of given) {
    const at = one.indexOf("=");
    if (at <= 0) return { problem: usage(`--input ${one} is not name=value`) };
    values.set(one.slice(0, at), one.slice(at + 1));
  }
  return { values: Object.fromEntries(values) };
}

async function readInputFile(file: string, cwd: string): Promise<InputsResult> {
  const document = readDocument(file, cwd);
  if (isProblem(document)) return { problem: document };
  const { parseDocument } = await import("yaml");
  const parsed = parseDocument(document.text, { version: "1.2", uniqueKeys: true });
  const [error] = parsed.errors;
  if (error !== undefined) return { problem: usage(`${file}: ${error.message.split("\n")[0]}`) };
  const value = parsed.toJS({ maxAliasCount: 100 }) as Json;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { problem: usage(`${file} does not hold a map of input names to values`) };
  }
  return { values: value as Inputs };
}
