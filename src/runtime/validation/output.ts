import type { OutputFormat } from "../../model/node.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { readJson } from "../../model/json-text.ts";
import { compileSchema } from "./schema.ts";

export type Parsed = { readonly value: Json } | { readonly problem: string };

/**
 * Reads a text as `output:` says. `text` is the text itself, `lines` its lines without line ends (a last empty one is
 * none), `json` and a schema the whole text as one JSON value; where a schema takes texts alone, a text that is no JSON
 * is that text without its line end. What does not parse is a one-line problem.
 */
export async function parseOutput(text: string, format: OutputFormat): Promise<Parsed> {
  switch (format.as) {
    case "text":
      return { value: text };
    case "lines":
      return { value: linesOf(text) };
    case "json":
      return parseJson(text);
    case "schema":
      return parseFitting(text, format.schema);
  }
}

async function parseFitting(text: string, schema: JsonObject): Promise<Parsed> {
  const validate = await compileSchema(schema);
  if (typeof validate !== "function")
    return { problem: `the schema of \`output\` cannot be used: ${validate.invalid}` };
  const parsed = parseJson(text);
  const problem = "problem" in parsed ? parsed.problem : validate(parsed.value);
  if (problem === null) return parsed;
  if (!takesText(schema) || text.trim() === "")
    return { problem: "problem" in parsed ? problem : `the JSON does not fit the schema: ${problem}` };
  const bare = text.replace(/(?:\r?\n)+$/, "");
  const misfit = validate(bare);
  return misfit === null
    ? { value: bare }
    : { problem: `the output does not fit the schema: ${misfit}, and is ${shortened(bare)}` };
}

/** `echo approve` says what `enum[approve, reject]` asks for, as well as `echo '"approve"'`. */
function takesText({ type, enum: values }: JsonObject): boolean {
  return (
    type === "string" || (type === undefined && Array.isArray(values) && values.every((one) => typeof one === "string"))
  );
}

function shortened(text: string): string {
  return JSON.stringify(
    text.length > limits.reasonCharacters / 3 ? `${text.slice(0, limits.reasonCharacters / 3)}…` : text,
  );
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function parseJson(text: string): Parsed {
  if (text.trim() === "") return { problem: "expected JSON, got nothing" };
  const read = readJson(text);
  if ("value" in read) return read;
  const masked = text.includes("***") ? readJson(quoted(text)) : read;
  if ("value" in masked) return masked;
  return { problem: read.unread === undefined ? `the JSON ${read.problem}` : `expected JSON: ${read.unread}` };
}

/** A number that is a secret, or holds one, is no number any more once it is masked: it reads as a text. */
function quoted(masked: string): string {
  return masked.replaceAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^\s"[\]{},:]+/g, (part) =>
    part.startsWith('"') || !part.includes("***") || !couldBeNumber(part) ? part : JSON.stringify(part),
  );
}

/** What stands beside the mask in a word that is none says that it never was JSON. */
function couldBeNumber(masked: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(masked.replaceAll("***", "1"));
}
