import { holds } from "./characters.ts";
import type { Span } from "./characters.ts";
import type { Expression } from "./expression.ts";
import { parsePattern } from "./expression.ts";

/**
 * What a text may hold that no shell, option, line, path or address reads as more
 * than a name: letters, digits and `_ . / : @ + , = -`.
 */
const plain: readonly Span[] = [
  [0x2b, 0x3a],
  [0x3d, 0x3d],
  [0x40, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** `+ , - : = @`, which say how the rest is meant where they come first. */
const signs = [0x2b, 0x2c, 0x2d, 0x3a, 0x3d, 0x40];
const dot = 0x2e;

/** To follow "the pattern must". */
export const plainWords =
  "hold the whole text (^…$), which must be letters, digits and _ . / : @ + , = - alone, begin with none of : @ + , = -, and have no two dots together";

/** Whether a pattern leaves nothing but plain text; `isWhole`: it is matched against the whole text as it is. */
export function leavesPlainText(source: string, isWhole: boolean): boolean {
  const parsed = parsePattern(source);
  if ("problem" in parsed) return false;
  const inner = isWhole ? parsed.expression : withoutAnchors(parsed.expression);
  if (inner === undefined) return false;
  const shape = shapeOf(inner);
  return shape !== undefined && !shape.beginsWithSign && !shape.hasDots;
}

/** What stands between `^` and `$`; undefined where a match need not be the whole text. */
function withoutAnchors(expression: Expression): Expression | undefined {
  if (expression.kind === "choice") {
    const options = expression.options.map(withoutAnchors);
    return options.every((option) => option !== undefined) ? { kind: "choice", options } : undefined;
  }
  if (expression.kind !== "sequence") return undefined;
  const { parts } = expression;
  const [first] = parts;
  const last = parts.at(-1);
  if (parts.length === 1 && first !== undefined) return withoutAnchors(first);
  const isHeld = first?.kind === "assertion" && first.at === "start" && last?.kind === "assertion" && last.at === "end";
  return isHeld ? { kind: "sequence", parts: parts.slice(1, -1) } : undefined;
}

interface Shape {
  readonly mayBeEmpty: boolean;
  readonly beginsWithSign: boolean;
  readonly beginsWithDot: boolean;
  readonly endsWithDot: boolean;
  /** Two dots can stand side by side. */
  readonly hasDots: boolean;
}

const empty: Shape = {
  mayBeEmpty: true,
  beginsWithSign: false,
  beginsWithDot: false,
  endsWithDot: false,
  hasDots: false,
};

/** Undefined where a text may hold anything else. */
function shapeOf(expression: Expression): Shape | undefined {
  switch (expression.kind) {
    case "characters":
      return shapeOfCharacters(expression);
    case "assertion":
      return empty;
    case "sequence":
      return expression.parts.reduce<Shape | undefined>((before, part) => joined(before, shapeOf(part)), empty);
    case "choice":
      return expression.options.map(shapeOf).reduce(either);
    case "repeat": {
      const once = shapeOf(expression.of);
      const often = expression.most > 1 ? joined(once, once) : once;
      return often && { ...often, mayBeEmpty: often.mayBeEmpty || expression.least === 0 };
    }
  }
}

function shapeOfCharacters({ spans, properties }: Extract<Expression, { kind: "characters" }>): Shape | undefined {
  const isPlain =
    properties.names.length === 0 &&
    spans.every(([first, last]) => plain.some(([from, to]) => from <= first && last <= to));
  if (!isPlain) return undefined;
  const isDot = holds(spans, dot);
  return {
    mayBeEmpty: false,
    beginsWithSign: signs.some((sign) => holds(spans, sign)),
    beginsWithDot: isDot,
    endsWithDot: isDot,
    hasDots: false,
  };
}

function joined(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  if (a === undefined || b === undefined) return undefined;
  return {
    mayBeEmpty: a.mayBeEmpty && b.mayBeEmpty,
    beginsWithSign: a.beginsWithSign || (a.mayBeEmpty && b.beginsWithSign),
    beginsWithDot: a.beginsWithDot || (a.mayBeEmpty && b.beginsWithDot),
    endsWithDot: b.endsWithDot || (b.mayBeEmpty && a.endsWithDot),
    hasDots: a.hasDots || b.hasDots || (a.endsWithDot && b.beginsWithDot),
  };
}

function either(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  if (a === undefined || b === undefined) return undefined;
  return {
    mayBeEmpty: a.mayBeEmpty || b.mayBeEmpty,
    beginsWithSign: a.beginsWithSign || b.beginsWithSign,
    beginsWithDot: a.beginsWithDot || b.beginsWithDot,
    endsWithDot: a.endsWithDot || b.endsWithDot,
    hasDots: a.hasDots || b.hasDots,
  };
}
