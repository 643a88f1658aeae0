import { limits } from "../../model/limits.ts";
import type { Json } from "../../model/json.ts";
import { isKept, unkeptText } from "../../model/json-text.ts";
import { readDocument } from "../documents/document.ts";
import { isProblem, type Problem, usage } from "../problem.ts";

type Inputs = Readonly<Record<string, Json>>;
type InputsResult = { readonly values: Inputs } | { readonly problem: Problem };

/**
 * Values of `--input-file` and `--input name=value`, the latter winning. Admission
 * reads a text by the type that the blueprint declares.
 */
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
  const places = new Map<string, number>();
  for (const [index, one] of given.entries()) {
    const at = one.indexOf("=");
    if (at <= 0) return { problem: noInput(index + 1) };
    const name = one.slice(0, at);
    const first = places.get(name);
    if (first !== undefined) return { problem: givenTwice(name, first, index + 1) };
    places.set(name, index + 1);
    values.set(name, one.slice(at + 1));
  }
  return { values: Object.fromEntries(values) };
}

/** Without what was given, which may be a value. */
function noInput(place: number): Problem {
  return usage(`--input number ${place} is not name=value`, "Give it as --input NAME=VALUE.");
}

/** Without the values, which may be nobody else's business. */
function givenTwice(name: string, first: number, second: number): Problem {
  const message = `the input ${name} is given twice, by --input number ${first} and number ${second}`;
  return usage(message, "Give one of them, or a list as JSON.");
}

async function readInputFile(file: string, cwd: string): Promise<InputsResult> {
  const document = readDocument(file, cwd);
  if (isProblem(document)) return { problem: document };
  const { isScalar, parseDocument, visit } = await import("yaml");
  const parsed = parseDocument(document.text, { version: "1.2", uniqueKeys: true });
  const [error] = parsed.errors;
  if (error !== undefined) return { problem: usage(`${file}: ${error.message.split("\n")[0]}`) };
  let unkept: number | undefined;
  visit(parsed, (_key, node) => {
    if (!isScalar(node) || typeof node.value !== "number" || isKept(node.source ?? "", node.value)) return undefined;
    unkept = document.text.slice(0, node.range?.[0]).split("\n").length;
    return visit.BREAK;
  });
  if (unkept !== undefined) return { problem: usage(`${file}:${unkept} ${unkeptText()}`) };
  const value = parsed.toJS({ maxAliasCount: limits.inputFileAliases }) as Json;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { problem: usage(`${file} does not hold a map of input names to values`) };
  }
  return { values: value as Inputs };
}
