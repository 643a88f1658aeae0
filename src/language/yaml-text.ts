import { Composer, Lexer, Parser } from "yaml";
import type { CST, Document } from "yaml";
import { limits } from "../model/limits.ts";
import type { Code, Report } from "./codes.ts";
import { problem } from "./codes.ts";

export const splitHint = "Move a part of it into a blueprint of its own, for `type: call`, and large texts into files.";

export interface Composed {
  /** None after the second. */
  readonly documents: readonly Document.Parsed[];
  /** At most one more than are shown. */
  readonly faults: readonly Fault[];
}

/** What the text holds; null when it is too large or nested too deeply. Nothing of its tokens outlives the call. */
export function parseText(text: string, report: Report): Composed | null {
  const tokens = tokenize(text, report);
  return tokens === null ? null : compose(text, tokens);
}

/** Tokens of the text; null when it is too large or nested too deeply, which is seen before anything is built on it. */
function tokenize(text: string, report: Report): CST.Token[] | null {
  const refuse = (code: Code, offset: number, message: string, hint: string): null => {
    const start = Math.min(offset, text.length);
    report(problem(code, { start, end: Math.min(start + 1, text.length) }, message, hint));
    return null;
  };
  const excess = tooLarge(text);
  if (excess !== null) return refuse("document-too-large", excess.offset, excess.message, splitHint);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let faults = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "error") faults += 1;
    }
    // More than are shown: nothing is made of such a text.
    if (faults > limits.diagnosticsPerFile) return tokens;
    if (parser.stack.length > limits.documentDepth + 2) {
      const message = `Lists and maps are nested more than ${limits.documentDepth} deep here`;
      return refuse(
        "nesting-too-deep",
        parser.offset,
        message,
        "No field needs as many: close brackets that were left open, or keep the data in a file.",
      );
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Counts what a long text is made of before any of it is kept; a short one cannot be made of too much. */
function tooLarge(text: string): { readonly offset: number; readonly message: string } | null {
  if (2 * text.length <= Math.min(limits.documentTokens, limits.documentTextCharacters)) return null;
  let lexemes = 0;
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > limits.documentTokens)
      return { offset, message: `The file has more than ${limits.documentTokens} tokens` };
    if (lexeme.length > limits.documentTextCharacters)
      return { offset, message: `A text of more than ${limits.documentTextCharacters} characters begins here` };
    if (!marks.has(lexeme)) offset += lexeme.length;
  }
  return null;
}

/** Lexemes that stand for no characters of the text. */
export const marks: ReadonlySet<string> = new Set(["\u{2}", "\u{18}", "\u{1F}"]);

/** A problem that the library found. */
export interface Fault {
  readonly pos: readonly [number, number];
  readonly code: string;
  readonly message: string;
  readonly isWarning: boolean;
}

/** What the library says of the place of a fault: an offset, a range or a token. */
type FaultSource = number | readonly [number, number, number?] | { readonly offset: number; readonly source?: string };

/** Thrown through the library to stop it: it would go on to the last of a million faults. */
class EnoughFaults extends Error {}

function compose(text: string, tokens: readonly CST.Token[]): Composed {
  // Uniqueness is checked while locating: the composer's own check compares every pair of keys.
  const composer = new Composer({
    version: "1.2",
    uniqueKeys: false,
    // Tags of older versions make values that are neither text, number, list nor map.
    resolveKnownTags: false,
    keepSourceTokens: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const faults: Fault[] = [];
  let left = limits.diagnosticsPerFile;
  const onError = (source: FaultSource, code: string, message: string, isWarning = false): void => {
    left -= 1;
    if (left >= 0) faults.push({ pos: positionOf(source), code, message, isWarning });
    else if (!isWarning) {
      faults.push({ pos: positionOf(source), code, message, isWarning });
      throw new EnoughFaults();
    }
  };
  // The only way to hear of faults while they are found; without it each becomes an error object with a stack.
  Object.assign(composer, { onError });
  try {
    const documents: Document.Parsed[] = [];
    for (const token of tokens) {
      if (token.type === "error") onError(token, "UNEXPECTED_TOKEN", saidOf(token));
      else documents.push(...composer.next(token));
      // Two are one too many, whatever else there is.
      if (documents.length > 1) break;
    }
    documents.push(...composer.end(false, text.length));
    for (const { errors } of documents) {
      for (const { pos, code, message } of errors) onError(pos, code, message);
    }
    return { documents, faults };
  } catch (error) {
    if (error instanceof EnoughFaults) return { documents: [], faults };
    throw error;
  }
}

function saidOf({ message, source }: CST.ErrorToken): string {
  return source === "" ? message : `${message}: ${JSON.stringify(source)}`;
}

function positionOf(source: FaultSource): readonly [number, number] {
  if (typeof source === "number") return [source, source + 1];
  if (!("offset" in source)) return [source[0], source[1]];
  return [source.offset, source.offset + (typeof source.source === "string" ? source.source.length : 1)];
}
