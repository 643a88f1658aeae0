import { Lexer } from "yaml";
import type { Diagnostic, Range } from "../model/diagnostic.ts";
import { problem } from "./codes.ts";
import { marks } from "./yaml-text.ts";
import type { Fault } from "./yaml-text.ts";

/** A fault in plain words; null where it follows from another one at the same place. */
export function toldOf(fault: Fault, all: readonly Fault[], text: string): Diagnostic | null {
  const { code, message, isWarning, pos } = fault;
  if (isWarning)
    return problem(
      "unknown-tag",
      rangeOf(fault, text),
      sentence(message),
      "Put the whole value into quotes if its text begins with `!`, or remove the tag.",
    );
  const isAlso = (other: string): boolean => all.some((each) => each.code === other && each.pos[0] === pos[0]);
  if (code === "BLOCK_AS_IMPLICIT_KEY" && isAlso("MULTILINE_IMPLICIT_KEY")) return null;
  if (code === "MULTILINE_IMPLICIT_KEY" && isAlso("BLOCK_AS_IMPLICIT_KEY"))
    return problem(
      "syntax",
      rangeOf(fault, text),
      "The line below this value is indented more, as if the value went on",
      "Give the keys of one map the same indentation; a text of several lines begins with `|`.",
    );
  const quote = /^Missing closing (["'])quote$/.exec(message)?.[1];
  if (quote !== undefined)
    return problem(
      "syntax",
      openingOf(quote, pos[0], text),
      `This ${quote} is never closed`,
      `Close it with ${quote} where the text ends.`,
    );
  const range = isOfIndentation(fault) ? wordAt(rangeOf(fault, text).start, text) : rangeOf(fault, text);
  return problem("syntax", range, sentence(message), hintFor(fault, text));
}

/** Then what is reported is where lines no longer fit; which of those before is the wrong one nobody knows. */
export function isOfIndentation({ code, message, isWarning }: Fault): boolean {
  return !isWarning && code === "BAD_INDENT" && !message.startsWith("Flow ");
}

const hints: Partial<Record<string, string>> = {
  TAB_AS_INDENT: "Indent with spaces.",
  BAD_INDENT: "Give entries of one list or map the same indentation.",
  MISSING_CHAR: "Close the bracket, or put a blank after the colon.",
  BAD_SCALAR_START: "Put the value into quotes.",
  BLOCK_IN_FLOW: "Put a comma between the entries, or the value into quotes if it holds a colon.",
  BLOCK_AS_IMPLICIT_KEY: "Put the whole value into quotes.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a blank after the key, or the whole text into quotes.",
};

function hintFor(fault: Fault, text: string): string | undefined {
  const { code, message } = fault;
  if (code === "UNEXPECTED_TOKEN" && message.includes(" at node end")) return "Put the whole value into quotes.";
  if (code === "BAD_INDENT" && message.startsWith("Flow "))
    return "Close the bracket; what it holds, and its end, are indented more than its key.";
  const { start, end } = rangeOf(fault, text);
  const [, key, value] = /^([\w-]+):(\S.*)$/.exec(text.slice(start, end).split("\n", 1)[0] ?? "") ?? [];
  return code === "MULTILINE_IMPLICIT_KEY" && key !== undefined
    ? `Put a blank after the colon: ${key}: ${value}`
    : hints[code];
}

function sentence(message: string): string {
  return message
    .replace(/\s+/g, " ")
    .replace(/[.:]+$/, "")
    .replace(/^Flow .+ must be sufficiently indented and end with a (.)$/, "A `$1` is missing, or indented too little")
    .replace(/^Unresolved tag: (\S+)$/, "The tag `$1` has no meaning here and is left out")
    .replace(/^Implicit keys need to be on a single line$/, "This line has no `: ` after a key")
    .replace(
      /^All (?:mapping|sequence) items must start at the same column$/,
      "This line is indented otherwise than those before it",
    )
    .replace(
      /^Nested mappings are not allowed in compact mappings$/,
      "A value behind a key holds `: `, which would begin another map",
    )
    .replace(/^Plain value cannot start with .+ (\S)$/, "A value cannot begin with `$1` without quotes")
    .replace(/^Tabs are not allowed as indentation$/, "A tab stands in the indentation");
}

function rangeOf({ pos }: Fault, text: string): Range {
  const start = Math.max(0, Math.min(pos[0], text.length));
  return { start, end: Math.max(start, Math.min(pos[1], text.length)) };
}

/** The first word from there on its line. */
function wordAt(start: number, text: string): Range {
  const [, blanks = "", word = ""] = /^([ \t]*)([^\s]*)/.exec(text.slice(start, start + 1_000)) ?? [];
  const from = start + blanks.length;
  return { start: from, end: Math.max(from, Math.min(from + Math.max(word.length, 1), text.length)) };
}

/** The last quote before the place where its end is missed, to the end of its line. */
function openingOf(quote: string, missed: number, text: string): Range {
  let offset = 0;
  let start = missed;
  for (const lexeme of new Lexer().lex(text)) {
    if (offset >= missed) break;
    if (lexeme.startsWith(quote)) start = offset;
    if (!marks.has(lexeme)) offset += lexeme.length;
  }
  const line = text.indexOf("\n", start);
  return { start, end: line === -1 ? text.length : line };
}
