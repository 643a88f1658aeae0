import { linearSource } from "../../language/patterns/linear.ts";
import { parsePattern } from "../../language/patterns/expression.ts";
import { limits } from "../../model/limits.ts";

export interface Pattern {
  /** Undefined of a text that is too long for the pattern: then nobody knows. */
  test(text: string): boolean | undefined;
}

export interface PatternOptions {
  /** The whole text has to match, not a part of it. */
  readonly whole?: boolean;
  /** `^` and `$` are those of lines. */
  readonly lines?: boolean;
}

export type PatternCompiler = (source: string, options?: PatternOptions) => Pattern | { readonly problem: string };

/**
 * Compiles patterns for an engine that takes a time linear in the text, whatever the pattern and the text; the engine
 * is loaded at first use. What it cannot match is a problem, to follow the name of the pattern.
 */
export async function patternCompiler(): Promise<PatternCompiler> {
  const { RE2JS } = await import("re2js");
  return (source, { whole = false, lines = false } = {}) => {
    const parsed = parsePattern(source);
    if ("problem" in parsed) return parsed;
    const linear = linearSource(parsed.expression);
    const engine = RE2JS.compile(whole ? `^(?:${linear})$` : linear, lines ? RE2JS.MULTILINE : 0);
    return { test: (text) => (text.length * parsed.atoms <= limits.patternSteps ? engine.test(text) : undefined) };
  };
}
