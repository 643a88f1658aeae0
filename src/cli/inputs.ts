import type { Blueprint, TypeSpec } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { isProblem, type Problem, usage } from "./problem.ts";
import { readDocument } from "./document.ts";

type Inputs = Readonly<Record<string, Json>>;
type InputsResult = { readonly values: Inputs } | { readonly problem: Problem };

/** Values of `--input-file` and `--input name=value`, the latter winning; read by the type the blueprint declares. */
export async function readInputs(
  blueprint: Blueprint,
  file: string | undefined,
  given: readonly string[],
  cwd: string,
): Promise<InputsResult> {
  const values: Record<string, Json> = Object.create(null);
  if (file !== undefined) {
    const read = await readInputFile(file, cwd);
    if ("problem" in read) return read;
    Object.assign(values, read.values);
  }
  for (const one of given) {
    const at = one.indexOf("=");
    if (at <= 0) return { problem: usage(`--input ${one} is not name=value`) };
    const name = one.slice(0, at);
    const value = parseValue(one.slice(at + 1), blueprint.inputs[name]?.type);
    if (value === undefined)
      return { problem: usage(`--input ${name}: ${one.slice(at + 1)} is no ${blueprint.inputs[name]?.type.kind}`) };
    values[name] = value;
  }
  return { values: { ...values } };
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

/** Undefined where the text is no value of the type. An unknown input stays text: admission names it. */
function parseValue(text: string, type: TypeSpec | undefined): Json | undefined {
  switch (type?.kind) {
    case undefined:
    case "string":
    case "file":
    case "path":
    case "duration":
    case "enum":
      return text;
    case "number":
    case "integer":
    case "boolean":
    case "json":
    case "list":
    case "schema":
      return parseJson(text);
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
