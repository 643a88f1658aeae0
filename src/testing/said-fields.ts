import type { Json } from "../model/json.ts";
import { json, mapOf, oneOrMore } from "../language/read/collections.ts";
import { object, optional } from "../language/read/table.ts";
import type { Reader } from "../language/read/reading.ts";
import { boolean, count, integer, money, name, text, word } from "../language/read/scalars.ts";
import type { NodeScript, PassScript, Said } from "./file.ts";
import { mapOr, orNull, placed, someOf } from "./readers.ts";

/**
 * A path that stays in the tree. What git keeps is left alone wherever it
 * is: a configuration of its own names programs.
 */
export const treePath = {
  pattern: /^(?![/~])(?!(?:.*\/)?(?:\.\.|\.[gG][iI][tT])(?:\/|$)).+$/,
  words: "a path inside the tree, relative, without .. and .git",
};

const anyText = text({ mayBeEmpty: true });
const outcomes = ["success", "failure", "error", "timeout"] as const;

const saidMap: Reader<Said> = object(
  {
    outcome: optional(word(...outcomes), "How it ends; success when left out, failure where `exit` is not 0."),
    output: optional(anyText, "What it says: both streams of a command, the last message of an agent."),
    stdout: optional(anyText, "What a command writes to standard output."),
    stderr: optional(anyText, "What a command writes to standard error."),
    exit: optional(integer(0, 255), "Exit code of a command."),
    value: optional(json, "The typed value, where the node has `output: json` or a schema."),
    ports: optional(mapOf(json), "Values that a command writes to $TRAMMEL_OUTPUT, by name."),
    option: optional(name, "The option that is chosen."),
    answer: optional(json, "What a person answers: yes or no, an option, a text, the fields of a form."),
    answers: optional(
      someOf(json, "Write [yes, no]."),
      "What a person answers each time that the gate is asked in one pass, as after a change to the tree; the last stands for all further times.",
    ),
    by: optional(text(), "Who answers."),
    files: optional(
      mapOf(orNull(anyText), treePath),
      "Files that it writes, by path from the working folder; null removes one.",
    ),
    reason: optional(text(), "Why it fails, in one line."),
    before_effect: optional(
      boolean,
      "An error that came before any effect, so that it may be tried again.",
      "beforeEffect",
    ),
    tokens: optional(count, "Tokens that an agent uses, all told; none when left out."),
    cost: optional(money, "What they cost."),
  },
  "an outcome",
);

/** One word: an outcome, or what the type of the node makes of it. */
const saidWord: Reader<Said> = {
  expected: "success, failure, error, timeout or an option",
  schema: name.schema,
  read(node, reading, field) {
    const said = name.read(node, reading, field);
    if (said === undefined) return undefined;
    const outcome = outcomes.find((one) => one === said);
    return outcome === undefined ? { word: said } : { outcome };
  },
  write: ({ outcome, word: other }) => outcome ?? other ?? "",
};

function isWord(value: Said): value is Said {
  const keys = Object.keys(value);
  return keys.length === 1 && (keys[0] === "word" || keys[0] === "outcome");
}

const said = placed(mapOr(saidMap, saidWord, isWord));

const single: Reader<PassScript> = oneOrMore(said);
const attempts = someOf(said, "Write [error, success], or success.");

/** Attempts of one pass as a list, or one outcome for all of them. */
const pass: Reader<PassScript> = {
  expected: `${said.expected}, or a list of attempts`,
  schema: { anyOf: [said.schema, attempts.schema] },
  read: (node, reading, field) => (node.kind === "list" ? attempts : single).read(node, reading, field),
  write: (all) => (all.length === 1 ? writeFirst(all) : attempts.write(all)),
};

const passes = someOf(pass, "Write [failure, success], or success.");

function writeFirst([first]: PassScript): Json {
  return first === undefined ? null : said.write(first);
}

/** What a node comes to: one outcome for every pass, or a list of exactly its passes. */
export const nodeScript: Reader<NodeScript> = {
  expected: `${said.expected}, or a list of them, one for each pass`,
  schema: { anyOf: [said.schema, passes.schema] },
  read(node, reading, field) {
    if (node.kind === "list") {
      const listed = passes.read(node, reading, field);
      return listed && { passes: listed };
    }
    const each = single.read(node, reading, field);
    return each && { each };
  },
  write: (script) => ("each" in script ? writeFirst(script.each) : passes.write(script.passes)),
};
