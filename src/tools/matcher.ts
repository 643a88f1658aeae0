import { createContext, Script } from "node:vm";
import { limits } from "../model/limits.ts";
import { messageOf } from "../model/thrown.ts";

/** Finds the lines of a text that match: indices from 0, at most `most`. Null once all calls together took too long. */
export type Matcher = (lines: readonly string[], most: number) => readonly number[] | null;

/** A pattern that is no regular expression is a problem. */
export function matcherOf(pattern: string, ignoreCase: boolean): Matcher | { readonly problem: string } {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, ignoreCase ? "i" : "");
  } catch (error) {
    return { problem: `pattern: ${messageOf(error)}` };
  }
  return /^[\w\s/,:;=<>"'!@#%&~-]+$/.test(pattern) && !ignoreCase ? plainMatcher(pattern) : timedMatcher(expression);
}

function plainMatcher(text: string): Matcher {
  return (lines, most) => firstOf(lines, most, (line) => line.includes(text));
}

/** A pattern can take a time exponential in a line's length; the virtual machine is the only one that can stop it. */
function timedMatcher(expression: RegExp): Matcher {
  const script = new Script("find()");
  const scope: { find: () => readonly number[] } = { find: () => [] };
  const context = createContext(scope);
  let leftMs: number = limits.searchPatternMs;
  return (lines, most) => {
    if (leftMs < 1) return null;
    const began = performance.now();
    scope.find = () => firstOf(lines, most, (line) => expression.test(line));
    try {
      return script.runInContext(context, { timeout: Math.ceil(leftMs) }) as readonly number[]; // what find answers
    } catch (error) {
      if (isTimeout(error)) return null;
      throw error;
    } finally {
      leftMs -= performance.now() - began;
    }
  };
}

/** The error is of the context's own kind of `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}

function firstOf(lines: readonly string[], most: number, matches: (line: string) => boolean): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < lines.length && found.length < most; index += 1)
    if (matches(lines[index] ?? "")) found.push(index);
  return found;
}
