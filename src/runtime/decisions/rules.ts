import type { DecideOption, DecisionRule } from "../../model/decision.ts";
import { type Json, stableJson } from "../../model/json.ts";
import { isTooDeep } from "../../model/nesting.ts";
import { type PatternCompiler, patternCompiler } from "../validation/pattern.ts";

/** What a decision is about. */
export interface Looked {
  readonly text: string;
  /** The value, where what is looked at is one reference. */
  readonly value: Json;
  /** Of the command it is about; null where it is about none. */
  readonly exit: number | null;
}

/** The option that rules speak for, `other` where they disagree, null where none of them fits. */
export type Verdict = { readonly option: string | null } | { readonly problem: string };

/** Rules are functions of what is looked at and nothing else. Of two kinds of rules, those of one kind are asked. */
export async function judge(
  options: readonly DecideOption[],
  looked: Looked,
  kind: "first" | "fallback",
): Promise<Verdict> {
  const compile = await patternCompiler();
  const found: string[] = [];
  for (const { id, match } of options) {
    if (match === undefined || (match.fallback === true) !== (kind === "fallback")) continue;
    const fit = fits(match, looked, compile);
    if (typeof fit !== "boolean") return { problem: `the rule for ${id} ${fit.problem}` };
    if (fit) found.push(id);
  }
  const [only = null, ...more] = found;
  return { option: more.length > 0 ? "other" : only };
}

function fits(
  rule: DecisionRule,
  { text, value, exit }: Looked,
  compile: PatternCompiler,
): boolean | { readonly problem: string } {
  switch (rule.kind) {
    case "contains":
      return text.includes(rule.text);
    case "exit":
      return exit === rule.code;
    case "pointer":
      return isSame(valueAt(value, rule.pointer), rule.value);
    case "matches": {
      const pattern = compile(rule.pattern, { lines: true });
      if ("problem" in pattern) return { problem: `has a pattern that ${pattern.problem}` };
      return pattern.test(text) ?? { problem: "has a pattern that so long a text is not held against" };
    }
  }
}

function isSame(found: Json | undefined, expected: Json): boolean {
  return found !== undefined && stableJson(found) === stableJson(expected);
}

/** RFC 6901; undefined where there is nothing. A text that is JSON is looked into, unless it is too deep. */
function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = typeof value === "string" ? parsed(value) : value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at === undefined || at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    if (Array.isArray(at) && !/^\d+$/.test(key)) return undefined;
    at = (at as Readonly<Record<string, Json>>)[key]; // an own key of what is JSON holds JSON
  }
  return at;
}

function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json; // what parses is JSON
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
