import type { OutputFormat } from "../model/node.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { parseOutput } from "../runtime/validation/output.ts";
import { compileSchema } from "../runtime/validation/schema.ts";

/** What an agent was asked to answer with. */
export interface Expected {
  readonly output?: OutputFormat;
  readonly options?: readonly string[];
}

export type Answer =
  | { readonly option?: string; readonly value?: Json }
  /** Says what is wrong, so that the agent can mend it. */
  | { readonly problem: string };

/** Whether anything but free text is expected. */
export function isStructured(expected: Expected): boolean {
  return (expected.options?.length ?? 0) > 0 || (expected.output !== undefined && expected.output.as !== "text");
}

/**
 * Reads the last message of an agent. With options its last line must be one of them; JSON may stand in the last fenced
 * block. Of both, the JSON comes first and the option last.
 */
export async function readAnswer(message: string, expected: Expected): Promise<Answer> {
  const { options = [], output } = expected;
  let rest = message;
  let option: string | undefined;
  if (options.length > 0) {
    const chosen = lastLine(message);
    option = options.find((id) => id.toLowerCase() === chosen.word.toLowerCase());
    if (option === undefined)
      return { problem: `the last line must be exactly one of ${list(options)}, not "${chosen.word}"` };
    rest = chosen.before;
  }
  const picked = option === undefined ? {} : { option };
  if (output === undefined) return picked;
  const parsed = await parseOutput(isJson(output) ? bareJson(rest) : rest, output);
  return "problem" in parsed ? parsed : { ...picked, value: parsed.value };
}

/**
 * JSON Schema of a tool whose arguments are the answer; null where a tool can not
 * hold it (text, lines, a schema with references).
 */
export function answerSchema(expected: Expected): JsonObject | null {
  const { options = [], output } = expected;
  const properties: { [name: string]: Json } = {};
  if (options.length > 0) properties["option"] = { enum: [...options] };
  if (output?.as === "json") properties["value"] = {};
  if (output?.as === "schema") {
    if (JSON.stringify(output.schema).includes('"$ref"')) return null;
    properties["value"] = output.schema;
  }
  const required = Object.keys(properties);
  if (required.length === 0 || (output?.as === "lines" && options.length > 0)) return null;
  return { type: "object", properties, required, additionalProperties: false };
}

/** Checks the arguments of that tool. */
export async function checkAnswer(input: Json, schema: JsonObject): Promise<Answer> {
  const validate = await compileSchema(schema);
  if (typeof validate !== "function")
    return { problem: `the schema of \`output\` cannot be used: ${validate.invalid}` };
  const problem = validate(input);
  if (problem !== null) return { problem };
  const { option, value } = input as { readonly option?: string; readonly value?: Json }; // the schema has just said so
  return { ...(option === undefined ? {} : { option }), ...(value === undefined ? {} : { value }) };
}

/** What to tell an agent that can only answer by its last message. */
export function answerInstructions(expected: Expected): string {
  const { options = [], output } = expected;
  const parts: string[] = [];
  if (output?.as === "lines") parts.push("Your last message is read line by line: write nothing else in it.");
  if (output?.as === "json") parts.push("Your last message must be one JSON value and nothing else.");
  if (output?.as === "schema") {
    parts.push(
      `Your last message must be one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(output.schema)}`,
    );
  }
  if (options.length > 0) parts.push(`The last line of your last message must be exactly one of: ${list(options)}.`);
  return parts.join("\n");
}

function isJson(output: OutputFormat): boolean {
  return output.as === "json" || output.as === "schema";
}

/** The last line that says something, without marks around it, and what stands before it. */
function lastLine(message: string): { readonly word: string; readonly before: string } {
  const trimmed = message.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  const word = trimmed.slice(start).replaceAll(/^[\s*_`"'>#-]+|[\s*_`"'.!]+$/g, "");
  return { word, before: trimmed.slice(0, start) };
}

/** The text itself where it is JSON, else what the last fenced block holds. */
function bareJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const blocks = [...text.matchAll(/^```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)];
    return blocks.at(-1)?.[1] ?? text;
  }
}

function list(options: readonly string[]): string {
  return options.join(", ");
}
