import type { OutputFormat } from "../../model/blueprint.ts";
import type { Json } from "../../model/json.ts";
import { isTooDeep, tooDeepText } from "../../model/nesting.ts";
import { compileSchema } from "./schema.ts";

export type Parsed = { readonly value: Json } | { readonly problem: string };

/**
 * Reads a text as `output:` says. `text` is the text itself, `lines` its lines without line ends (a last empty one is none),
 * `json` and a schema the whole text as one JSON value. What does not parse is a one-line problem.
 */
export async function parseOutput(text: string, format: OutputFormat): Promise<Parsed> {
  switch (format.as) {
    case "text":
      return { value: text };
    case "lines":
      return { value: linesOf(text) };
    case "json":
      return parseJson(text);
    case "schema": {
      const parsed = parseJson(text);
      if ("problem" in parsed) return parsed;
      const validate = await compileSchema(format.schema);
      if (typeof validate !== "function")
        return { problem: `the schema of \`output\` cannot be used: ${validate.invalid}` };
      const problem = validate(parsed.value);
      return problem === null ? parsed : { problem: `the JSON does not fit the schema: ${problem}` };
    }
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function parseJson(text: string): Parsed {
  if (text.trim() === "") return { problem: "expected JSON, got nothing" };
  try {
    const value = JSON.parse(text) as Json; // JSON.parse yields nothing else
    return isTooDeep(value) ? { problem: `the JSON is ${tooDeepText}` } : { value };
  } catch (error) {
    return {
      problem: `expected JSON: ${error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error)}`,
    };
  }
}
