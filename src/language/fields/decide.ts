import type { Chooser, DecisionRule } from "../../model/decision.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { json, listOf } from "../read/collections.ts";
import { object, optional, required } from "../read/table.ts";
import type { Fields, Read } from "../read/table.ts";
import type { Reader, Reading } from "../read/reading.ts";
import { boolean, duration, integer, positive, requiredText, template, text, word } from "../read/scalars.ts";
import type { Located } from "../tree.ts";
import { quote } from "../tree.ts";
import { join, presentation } from "./common.ts";
import { optionsWith } from "./options.ts";

/** Who decides where `by` is absent. */
export const defaultChoosers: readonly Chooser[] = ["rules", "model"];

const pattern: Reader<string> = {
  ...text(),
  expected: "a regular expression",
  read(node, reading, field) {
    const source = text().read(node, reading, field);
    if (source === undefined) return undefined;
    try {
      RegExp(source, "u");
      return source;
    } catch {
      const message = `${reading.place(field)} must be a regular expression, not ${quote(source)}`;
      reading.problem("invalid-value", node, message, "To look for the text as it stands, write {contains: …}.");
      return undefined;
    }
  },
};

const pointer = {
  pattern: /^(?:\/(?:[^~/]|~[01])*)*$/,
  words: "a JSON pointer such as /review/verdict",
  mayBeEmpty: true,
};

const ruleFields = {
  matches: optional(pattern, "Regular expression that finds something in the text."),
  contains: optional(text(), "Text that is in it."),
  pointer: optional(text(pointer), "JSON pointer to what must equal `value`."),
  value: optional(json, "What stands at `pointer`."),
  exit: optional(integer(0, 255), "Exit code of the command it is about."),
  fallback: optional(boolean, "It counts only while no model is connected."),
} satisfies Fields;
const ruleMap = object(ruleFields, "`match`");
const oneOf = [["matches"], ["contains"], ["pointer"], ["exit"]].map((needed) => ({ required: needed }));
const together = { pointer: ["value"], value: ["pointer"] };

const rule: Reader<DecisionRule> = {
  expected: "a regular expression, or {contains}, {pointer, value} or {exit}",
  schema: { anyOf: [pattern.schema, { ...ruleMap.schema, oneOf, dependencies: together }] },
  read(node, reading, field) {
    if (node.kind !== "map") {
      const source = pattern.read(node, reading, field);
      return source === undefined ? undefined : { kind: "matches", pattern: source };
    }
    const read = ruleMap.read(node, reading, field);
    return read === undefined ? undefined : oneTest(read, node, reading, field);
  },
  write(value) {
    const fallback = value.fallback === undefined ? {} : { fallback: true };
    if (value.kind === "matches" && value.fallback === undefined) return value.pattern;
    return { ...testOf(value), ...fallback };
  },
};

/** A rule looks for one thing, and a value belongs to a pointer. */
function oneTest(
  { matches, contains, pointer: at, value, exit, fallback }: Read<typeof ruleFields>,
  node: Located,
  reading: Reading,
  field: string,
): DecisionRule | undefined {
  const mark = fallback === true ? { fallback } : {};
  const found: readonly DecisionRule[] = [
    matches === undefined ? [] : ({ kind: "matches", pattern: matches, ...mark } as const),
    contains === undefined ? [] : ({ kind: "contains", text: contains, ...mark } as const),
    at === undefined || value === undefined ? [] : ({ kind: "pointer", pointer: at, value, ...mark } as const),
    exit === undefined ? [] : ({ kind: "exit", code: exit, ...mark } as const),
  ].flat();
  const [only] = found;
  if (only !== undefined && found.length === 1 && (at === undefined) === (value === undefined)) return only;
  const code = found.length > 1 ? "two-forms" : "missing-field";
  const message = `${reading.place(field)} must have one of \`matches\`, \`contains\`, \`pointer\` with \`value\`, and \`exit\``;
  reading.problem(
    code,
    node,
    message,
    "Write match: {contains: approved}, or match: {pointer: /verdict, value: approve}.",
  );
  return undefined;
}

function testOf(value: DecisionRule): Readonly<Record<string, Json>> {
  switch (value.kind) {
    case "matches":
      return { matches: value.pattern };
    case "contains":
      return { contains: value.text };
    case "pointer":
      return { pointer: value.pointer, value: value.value };
    case "exit":
      return { exit: value.code };
  }
}

const option = object(
  {
    title: optional(text(), "What it means, for people and for the model."),
    match: optional(rule, "Rule that speaks for it."),
  },
  "the option",
);

const other = object({ ask: required(word("creator"), "Who picks among the same options.") }, "`other`");

export const decideFields = {
  ...presentation,
  cap: optional(integer(1, limits.capMaxPasses), "Most passes of this node in one run."),
  timeout: optional(duration, "Longest time of one attempt.", "timeoutMs"),
  join: optional(join, "When a node with several incoming edges starts."),
  losers: optional(word("cancel", "drain"), "What becomes of arms that an any or k join no longer needs."),
  question: required(requiredText, "What is to be decided."),
  about: required(template, "Reference to the value that is looked at; it never becomes an option."),
  options: required(optionsWith(option, {}), "What can be chosen, routable by `when:`."),
  other: optional(other, "Who is asked when none fits; `when: other` where absent."),
  confidence: optional(positive(1), "How sure a choice must be, up to 1; below it is `other`."),
  by: optional(
    listOf(word("rules", "cases", "model")),
    "Who decides, in this order; rules, then a model, when absent.",
  ),
} satisfies Fields;
