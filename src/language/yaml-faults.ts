import { Lexer } from "yaml";
import type { Diagnostic, Range } from "../model/diagnostic.ts";
import { problem } from "./codes.ts";
import { marks } from "./yaml-text.ts";
import type { Fault } from "./yaml-text.ts";

/** Faults in plain words, one of a line, and without those that follow from another one. */
export function toldOf(faults: readonly Fault[], text: string): readonly Diagnostic[] {
  const first = faults.find(({ isWarning }) => !isWarning);
  const lines = new Set<number>();
  return faults.flatMap((fault) => {
    if (isLost(fault) && fault !== first) return [];
    // Where one line is indented with tabs, the others mostly are.
    const line = fault.code === "TAB_AS_INDENT" ? -1 : text.lastIndexOf("\n", fault.pos[0] - 1) + 1;
    const told = fault.isWarning || !lines.has(line) ? inWords(fault, faults, text) : null;
    if (told === null) return [];
    if (!fault.isWarning) lines.add(line);
    return [told];
  });
}

/** Whether the parser had given up before: it then says this of every token to the end of the file. */
function isLost({ code, message }: Fault): boolean {
  return code === "UNEXPECTED_TOKEN" && message.includes(" in YAML stream");
}

/** Null where it follows from another fault at the same place. */
function inWords(fault: Fault, all: readonly Fault[], text: string): Diagnostic | null {
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
  if (isLost(fault)) return "Remove it, or put the whole value into quotes.";
  if (code === "BAD_INDENT" && message.startsWith("Flow "))
    return "Close the bracket; what it holds, and its end, are indented more than its key.";
  const { start, end } = rangeOf(fault, text);
  const item = code === "BLOCK_AS_IMPLICIT_KEY" ? bareEntries(start, text) : undefined;
  if (item !== undefined) return `Put braces around the entries of one line: - {${item}}`;
  if ((code === "MULTILINE_IMPLICIT_KEY" || code === "MISSING_CHAR") && isBehindBlock(start, text))
    return "A text of several lines, which `|` or `>` begins, is indented more than its key.";
  if (code !== "MULTILINE_IMPLICIT_KEY" && !message.startsWith("Implicit map keys")) return hints[code];
  const [, key, value] = /^([\w-]+):(\S.*)$/.exec(text.slice(start, end).split("\n", 1)[0] ?? "") ?? [];
  return key === undefined ? hints["MULTILINE_IMPLICIT_KEY"] : `Put a blank after the colon: ${key}: ${value}`;
}

/** `from: a, to: b` of an item of a list, which is meant as a map. */
function bareEntries(offset: number, text: string): string | undefined {
  const end = text.indexOf("\n", offset);
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, end === -1 ? text.length : end);
  return /^\s*- ((?:[\w-]+: [^\s,:{}[\]]+, *)+[\w-]+: [^\s,:{}[\]]+)\s*$/.exec(line.slice(0, 1_000))?.[1];
}

/** Whether the line before ends with what begins a text of several lines. */
function isBehindBlock(offset: number, text: string): boolean {
  const before = text.slice(Math.max(0, offset - 1_000), offset);
  return /: [|>][+-]?[ \t]*\n[ \t]*$/.test(before);
}

function sentence(message: string): string {
  return message
    .replace(/\s+/g, " ")
    .replace(/[.:]+$/, "")
    .replace(/^Flow .+ must be sufficiently indented and end with a (.)$/, "A `$1` is missing, or indented too little")
    .replace(/^Unresolved tag: (\S+)$/, "The tag `$1` has no meaning here and is left out")
    .replace(
      /^Implicit (?:keys need to be on a single line|map keys need to be followed by map values)$/,
      "This line has no `: ` after a key",
    )
    .replace(
      /^All (?:mapping|sequence) items must start at the same column$/,
      "This line is indented otherwise than those before it",
    )
    .replace(
      /^Nested mappings are not allowed in compact mappings$/,
      "A value behind a key holds `: `, which would begin another map",
    )
    .replace(
      /^Block collections are not allowed within flow collections$/,
      "A value inside of brackets holds `: `, which would begin another map",
    )
    .replace(/^Unexpected \S+ at node end$/, "The value ends before this, and nothing can follow it")
    .replace(/^Unexpected \S+ token in YAML stream: "(\S+)"$/, "`$1` stands where nothing can follow")
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
