import type { Json } from "./json.ts";
import { isTooDeep, tooDeepText } from "./nesting.ts";
import { messageOf } from "./thrown.ts";

/**
 * What a text holds, or why that cannot be used, to follow the name of the text; `unread` where it is no JSON at all.
 */
export type ReadJson = { readonly value: Json } | JsonProblem;

/** Both texts tell a piece of what was read. */
export interface JsonProblem {
  readonly problem: string;
  readonly unread?: string;
}

/** The problem without a piece of what was read, which may be a piece of a secret. */
export function bareProblem({ problem, unread }: JsonProblem): string {
  if (unread !== undefined)
    return `is no JSON: ${unread.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, "")}`;
  return problem === `is ${tooDeepText}` ? problem : unkeptText();
}

/**
 * Reads JSON that came from outside. A mark at its beginning that says UTF-8 is none of it. A number that would become
 * another one, such as `9007199254740993` or `1e400`, is a problem: what goes by it would go by something else.
 */
export function readJson(text: string): ReadJson {
  let value: Json;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, "")) as Json; // JSON.parse yields nothing else
  } catch (error) {
    const unread = messageOf(error).replaceAll(/\s+/g, " ");
    return { problem: `is no JSON: ${unread}`, unread };
  }
  if (isTooDeep(value)) return { problem: `is ${tooDeepText}` };
  const number = unkeptNumber(text);
  return number === null ? { value } : { problem: unkeptText(number) };
}

/** What is said of a text with a number that {@link unkeptNumber} found; without it where it may be a secret. */
export function unkeptText(number?: string): string {
  const shown = number !== undefined && number.length > 40 ? `${number.slice(0, 40)}…` : number;
  const what = shown === undefined ? "a number that" : `the number ${shown}, which`;
  return `holds ${what} cannot be kept as it is; write it as a text, in quotes`;
}

/** The first number in a JSON text that would become another one; null where there is none, or no JSON. */
export function unkeptNumber(text: string): string | null {
  // Only so many digits or so large an exponent can make one; to ask for each source takes its time.
  if (!/\d{16}|[eE]\+?\d{3}/.test(text)) return null;
  let found: string | null = null;
  const look = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (found === null && typeof value === "number" && context?.source !== undefined && !isKept(context.source, value))
      found = context.source;
    return value;
  };
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""), look);
  } catch {
    return null;
  }
  return found;
}

/** Whether a number is what its source says, or would be written so again; a fraction is near enough. */
export function isKept(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(source)) return true;
  return String(value) === source || BigInt(source) === BigInt(value);
}
