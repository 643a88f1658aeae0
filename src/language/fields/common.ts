import type { Join } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import { parsePattern } from "../patterns/expression.ts";
import { listOf, mapOf } from "../read/collections.ts";
import { object, optional, required } from "../read/table.ts";
import type { Fields } from "../read/table.ts";
import type { Reader } from "../read/reading.ts";
import { boolean, duration, integer, looseTemplate, template, text, word } from "../read/scalars.ts";
import { outputFormat } from "./schemas.ts";
import { variable, variableName } from "./variable-names.ts";

const matches = "matches ";
const ruleText = text({
  pattern: /^(?:exit \d{1,3}|(?:contains|matches) \S.*)$/,
  words: "`exit N`, `contains TEXT` or `matches REGEX`",
});

const rule: Reader<string> = {
  ...ruleText,
  read(node, reading, field) {
    const done = ruleText.read(node, reading, field);
    const pattern = done?.startsWith(matches) === true ? parsePattern(done.slice(matches.length)) : undefined;
    if (pattern === undefined || !("problem" in pattern)) return done;
    reading.problem("invalid-value", node, `The pattern in ${reading.place(field)} ${pattern.problem}`, pattern.hint);
    return undefined;
  },
};
const note = text({ maxCharacters: limits.noteCharacters });

export const join: Reader<Join> = {
  expected: "`live`, `any` or a number of arms",
  schema: { anyOf: [{ enum: ["live", "any"] }, { type: "integer", minimum: 1 }] },
  read(node, reading, field) {
    if (node.kind === "scalar" && typeof node.value === "number") return integer(1, 10_000).read(node, reading, field);
    return word("live", "any").read(node, reading, field);
  },
  write: (value) => value,
};

const effect = object(
  {
    probe: required(text(), "Read-only command that finds out whether the effect is there."),
    done: required(rule, "Rule on the probe's outcome that says so."),
  },
  "`effect`",
);

export const presentation = {
  title: optional(text({ maxCharacters: limits.titleCharacters }), "Short name for people."),
  note: optional(note, "What it is for."),
  was: optional(text(), "Its former name; carries counts, cases and history over."),
} satisfies Fields;

export const common = {
  ...presentation,
  cap: optional(integer(1, limits.capMaxPasses), "Most passes: of an agent for one task, of another node in one run."),
  timeout: optional(duration, "Longest time of one attempt.", "timeoutMs"),
  retry: optional(integer(0, limits.retriesMax), "Attempts after an error that came before any effect."),
  join: optional(join, "When a node with several incoming edges starts."),
  losers: optional(word("cancel", "drain"), "What becomes of arms that an any or k join no longer needs."),
  env: optional(mapOf(looseTemplate, variable), "Environment variables; the way data reaches a command."),
  secrets: optional(listOf(variableName), "Names of secrets it may see."),
  stdin: optional(template, "Text on its standard input."),
  output: optional(outputFormat, "How its output is read."),
  expect: optional(word("success", "failure"), "`failure` turns the outcome round."),
  effect: optional(effect, "How to find out, after a crash, whether it took effect."),
  idempotent: optional(boolean, "It may be run again after a crash."),
  progress: optional(
    text(),
    "Command that prints how much is left to do as a number; a loop goes on only while it falls.",
  ),
  writes: optional(listOf(text()), "Files it may change (globs; after `!` those it may not)."),
} satisfies Fields;
