import type { Expression } from "./expression.ts";

/** The expression in the syntax of RE2, with the meaning that ECMAScript gives it. */
export function linearSource(expression: Expression): string {
  switch (expression.kind) {
    case "characters":
      return setOf(expression);
    case "assertion":
      return { start: "^", end: "$", word: String.raw`\b`, "no-word": String.raw`\B` }[expression.at];
    case "sequence":
      return expression.parts.map(linearSource).join("");
    case "choice":
      return `(?:${expression.options.map(linearSource).join("|")})`;
    case "repeat": {
      const { of, least, most } = expression;
      return `(?:${linearSource(of)})${boundsOf(least, most)}`;
    }
  }
}

function setOf({ spans, properties: { names, negated } }: Extract<Expression, { kind: "characters" }>): string {
  if (spans.length === 0 && names.length === 0) return String.raw`[^\x{0}-\x{10FFFF}]`;
  const ranges = spans.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`));
  return `[${negated ? "^" : ""}${ranges.join("")}${names.join("")}]`;
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function boundsOf(least: number, most: number): string {
  if (most === Infinity) return least === 0 ? "*" : least === 1 ? "+" : `{${least},}`;
  return `{${least},${most}}`;
}
