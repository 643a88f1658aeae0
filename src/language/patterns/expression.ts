import { limits } from "../../model/limits.ts";
import { digits, invert, sorted, spaces, words } from "./characters.ts";
import type { Span } from "./characters.ts";

/** A regular expression of which a match can be found in a time linear in the text. */
export type Expression =
  | { readonly kind: "characters"; readonly spans: readonly Span[]; readonly properties: Properties }
  | { readonly kind: "assertion"; readonly at: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly options: readonly Expression[] }
  | { readonly kind: "repeat"; readonly of: Expression; readonly least: number; readonly most: number };

/**
 * Characters with one of the general categories, as `\p{Lu}` names them;
 * `negated`: all but what spans and categories hold.
 */
export interface Properties {
  readonly names: readonly string[];
  readonly negated: boolean;
}

export type ParsedPattern =
  | { readonly expression: Expression; readonly atoms: number }
  | { readonly problem: string; readonly hint: string };

/** Reads a pattern in the syntax of ECMAScript (flag u); what needs backtracking, or is too large, is a problem. */
export function parsePattern(source: string): ParsedPattern {
  if (source.length > limits.patternCharacters) {
    const problem = `has ${source.length} characters; at most ${limits.patternCharacters} are allowed`;
    return { problem, hint: "Say less, or check the value in a script." };
  }
  try {
    new RegExp(source, "u");
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: (?:.*: )?/s, "") : "";
    return { problem: `is no regular expression: ${why}`, hint: "Write an ECMAScript pattern, such as v[0-9]+." };
  }
  const parser = new Parser(source);
  const expression = parser.choice();
  if (parser.problem !== undefined) return { problem: parser.problem, hint: parser.hint };
  const atoms = atomsOf(expression, 1);
  if (atoms > limits.patternAtoms || repeatsOf(expression) > limits.patternRepeats) {
    const problem = `asks for more than ${limits.patternRepeats} repetitions, or ${limits.patternAtoms} characters with them`;
    return { problem, hint: "Lower the numbers in braces, or write * or + instead." };
  }
  return { expression, atoms };
}

const linearTimeHint = "Lookahead, lookbehind and \\1 are left out, so that every pattern is matched in linear time.";
const classEscapes: Readonly<Record<string, readonly Span[]>> = {
  d: digits,
  D: invert(digits),
  w: words,
  W: invert(words),
  s: spaces,
  S: invert(spaces),
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0, b: 8 };

/** Of a source that `RegExp` has accepted, so that nothing here has to be well formed twice. */
class Parser {
  problem: string | undefined;
  hint = linearTimeHint;
  readonly #letters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#letters = Array.from(source);
  }

  choice(): Expression {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    const [only] = options;
    return only !== undefined && options.length === 1 ? only : { kind: "choice", options };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.#letters.length && this.#peek() !== "|" && this.#peek() !== ")")
      parts.push(this.#repeated(this.#atom()));
    return { kind: "sequence", parts };
  }

  #atom(): Expression {
    const letter = this.#next();
    if (letter === "(") return this.#group();
    if (letter === "[") return this.#set();
    if (letter === "^") return { kind: "assertion", at: "start" };
    if (letter === "$") return { kind: "assertion", at: "end" };
    if (letter === ".") return characters(invert(sorted([span(10), span(13), [0x2028, 0x2029]])));
    if (letter !== "\\") return characters([span(codeOf(letter))]);
    if (this.#peek() === "b" || this.#peek() === "B")
      return { kind: "assertion", at: this.#next() === "b" ? "word" : "no-word" };
    const { spans, names } = this.#escape();
    return { kind: "characters", spans, properties: { names, negated: false } };
  }

  #group(): Expression {
    if (this.#take("?")) {
      const sign = this.#next();
      if (sign === "<" && this.#peek() !== "=" && this.#peek() !== "!") while (this.#next() !== ">");
      else if (sign !== ":")
        this.#refuse(sign === "=" || sign === "!" || sign === "<" ? "looks ahead or behind" : "sets flags");
    }
    const inside = this.choice();
    this.#take(")");
    return inside;
  }

  #repeated(of: Expression): Expression {
    const bounds = this.#bounds();
    if (bounds === undefined) return of;
    this.#take("?");
    const [least, most] = bounds;
    return { kind: "repeat", of, least, most };
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return undefined;
    const [least = "", most] = this.#until("}").split(",");
    return [Number(least), most === undefined ? Number(least) : most === "" ? Infinity : Number(most)];
  }

  #set(): Expression {
    const negated = this.#take("^");
    const spans: Span[] = [];
    const names: string[] = [];
    while (!this.#take("]")) {
      const first = this.#member();
      const isRange = this.#peek() === "-" && this.#letters[this.#at + 1] !== "]" && first.code !== undefined;
      if (isRange) {
        this.#at += 1;
        spans.push([first.code, this.#member().code ?? first.code]);
      } else {
        spans.push(...first.spans);
        names.push(...first.names);
      }
    }
    const all = sorted(spans);
    if (names.length === 0) return characters(negated ? invert(all) : all);
    return { kind: "characters", spans: all, properties: { names, negated } };
  }

  #member(): Escape {
    if (this.#take("\\")) return this.#escape();
    return literal(codeOf(this.#next()));
  }

  #escape(): Escape {
    const letter = this.#next();
    const known = Object.hasOwn(classEscapes, letter) ? classEscapes[letter] : undefined;
    if (known !== undefined) return { code: undefined, spans: known, names: [] };
    if (letter === "p" || letter === "P") return this.#property(letter);
    if (letter === "x") return literal(Number.parseInt(this.#next() + this.#next(), 16));
    if (letter === "u") return literal(this.#unicode());
    if (letter === "c") return literal(codeOf(this.#next()) % 32);
    if (letter === "k" || /[1-9]/.test(letter)) this.#refuse("refers back to what a group matched");
    const control = Object.hasOwn(controls, letter) ? controls[letter] : undefined;
    return literal(control ?? codeOf(letter));
  }

  #property(letter: "p" | "P"): Escape {
    this.#take("{");
    const name = this.#until("}");
    if (!/^(?:[CLMNPSZ]|[CLMNPSZ][a-z])$/.test(name) || name === "Cn" || name === "C")
      this.#refuse(
        `uses \\${letter}{${name}}`,
        "Of properties only general categories such as \\p{L} and \\p{Nd} are known.",
      );
    return { code: undefined, spans: [], names: [`\\${letter}{${name}}`] };
  }

  /** Two escapes that are halves of one character are that character. */
  #unicode(): number {
    if (this.#take("{")) return Number.parseInt(this.#until("}"), 16);
    const unit = (): number => Number.parseInt(this.#letters.slice(this.#at, (this.#at += 4)).join(""), 16);
    const high = unit();
    const isHigh = high >= 0xd800 && high <= 0xdbff;
    if (!isHigh || this.#letters[this.#at] !== "\\" || this.#letters[this.#at + 1] !== "u") return high;
    const back = this.#at;
    this.#at += 2;
    const low = unit();
    if (low >= 0xdc00 && low <= 0xdfff) return codeOf(String.fromCharCode(high, low));
    this.#at = back;
    return high;
  }

  #refuse(problem: string, hint = linearTimeHint): void {
    this.problem ??= problem;
    if (this.problem === problem) this.hint = hint;
  }

  #peek(): string | undefined {
    return this.#letters[this.#at];
  }

  #next(): string {
    const letter = this.#letters[this.#at] ?? "";
    this.#at += 1;
    return letter;
  }

  #take(letter: string): boolean {
    if (this.#peek() !== letter) return false;
    this.#at += 1;
    return true;
  }

  #until(end: string): string {
    const from = this.#at;
    while (this.#next() !== end);
    return this.#letters.slice(from, this.#at - 1).join("");
  }
}

interface Escape {
  /** Of the one character that it stands for. */
  readonly code: number | undefined;
  readonly spans: readonly Span[];
  readonly names: readonly string[];
}

function literal(code: number): Escape {
  return { code, spans: [span(code)], names: [] };
}

function characters(spans: readonly Span[]): Expression {
  return { kind: "characters", spans, properties: { names: [], negated: false } };
}

function span(code: number): Span {
  return [code, code];
}

function codeOf(letter: string): number {
  return letter.codePointAt(0) ?? 0;
}

/** Characters that it matches one after the other, each repetition counted. */
function atomsOf(expression: Expression, times: number): number {
  switch (expression.kind) {
    case "characters":
    case "assertion":
      return times;
    case "sequence":
      return expression.parts.reduce((sum, part) => sum + atomsOf(part, times), 0);
    case "choice":
      return expression.options.reduce((sum, option) => sum + atomsOf(option, times), times);
    case "repeat":
      return atomsOf(expression.of, times * countOf(expression));
  }
}

/** The largest product of the numbers in braces around one place. */
function repeatsOf(expression: Expression): number {
  switch (expression.kind) {
    case "characters":
    case "assertion":
      return 1;
    case "sequence":
      return Math.max(1, ...expression.parts.map(repeatsOf));
    case "choice":
      return Math.max(1, ...expression.options.map(repeatsOf));
    case "repeat":
      return countOf(expression) * repeatsOf(expression.of);
  }
}

function countOf({ least, most }: { readonly least: number; readonly most: number }): number {
  return Math.max(1, least, most === Infinity ? 0 : most);
}
