import { limits } from "../model/limits.ts";
import { configFields } from "../config/parse.ts";
import { exitCodes } from "../model/outcome.ts";
import { parsePattern } from "../language/patterns/expression.ts";
import { entriesOf, json, listOf, mapOf, oneOrMore } from "../language/read/collections.ts";
import { object, optional, readPart, required } from "../language/read/table.ts";
import type { Reader } from "../language/read/reading.ts";
import { boolean, integer, name, text, word } from "../language/read/scalars.ts";
import type { Expectation, FileExpectation, RouteItem, StepPattern, TestCase } from "./file.ts";
import { mapOr, notEmpty, orNull, placed, someOf } from "./readers.ts";
import { nodeScript, treePath } from "./said-fields.ts";

const anyText = text({ mayBeEmpty: true });
const gaps: ReadonlySet<string> = new Set(["…", "..."]);
const stepForm = /^([A-Za-z0-9_-]{1,64}(?:#[1-9]\d{0,5}){0,2})(?:\s+([A-Za-z0-9_-]+))?$/;

const step: Reader<StepPattern> = {
  expected: "`node outcome`, such as test#2 success",
  schema: { type: "string", pattern: stepForm.source },
  read(at, reading, field) {
    const source = name.read(at, reading, field);
    if (source === undefined) return undefined;
    const [, node = "", word] = stepForm.exec(source.trim()) ?? [];
    if (node === "") return reading.wrongType(at, field, step.expected, "Write test failure, or … for any steps.");
    return { node, ...(word === undefined ? {} : { word }) };
  },
  write: ({ node, word }) => `${node}${word === undefined ? "" : ` ${word}`}`,
};

const steps = oneOrMore(placed(step));

/** A step, a list of steps in any order, or `…`. */
const routeItem: Reader<RouteItem> = {
  expected: "`node outcome`, a list of those in any order, or …",
  schema: { anyOf: [{ enum: [...gaps] }, ...(Array.isArray(steps.schema["anyOf"]) ? steps.schema["anyOf"] : [])] },
  read(node, reading, field) {
    if (node.kind === "scalar" && gaps.has(node.source)) return { kind: "gap" };
    const read = steps.read(node, reading, field);
    return read && { kind: "steps", steps: read };
  },
  write: (item) => (item.kind === "gap" ? "…" : item.steps.map((one) => step.write(one.value))),
};

const routeItems = listOf(routeItem);

/** One of gaps alone is walked by every run. */
const route: Reader<readonly RouteItem[]> = {
  ...routeItems,
  read(node, reading, field) {
    const read = routeItems.read(node, reading, field);
    if (read === undefined || read.length === 0 || read.some(({ kind }) => kind === "steps")) return read;
    reading.problem("invalid-value", node, `${reading.place(field)} names no step, so every run walks it`);
    return undefined;
  },
};

const pattern: Reader<string> = {
  expected: "a regular expression",
  schema: { type: "string", minLength: 1 },
  read(node, reading, field) {
    const source = text().read(node, reading, field);
    if (source === undefined) return undefined;
    const parsed = parsePattern(source);
    if (!("problem" in parsed)) return source;
    reading.problem("invalid-value", node, `${reading.place(field)} ${parsed.problem}`, parsed.hint);
    return undefined;
  },
  write: (source) => source,
};

const partly = {
  contains: optional(text(), "A text that it holds."),
  matches: optional(pattern, "A regular expression that fits somewhere in it."),
};
const partial = object(partly, "a file that is expected");

const fileInPart: Reader<{ readonly contains: string } | { readonly matches: string }> = {
  expected: "contains or matches",
  schema: { ...partial.schema, minProperties: 1, maxProperties: 1 },
  read(node, reading, field) {
    const read = partial.read(node, reading, field);
    if (read === undefined) return undefined;
    if (read.contains !== undefined && read.matches === undefined) return { contains: read.contains };
    if (read.matches !== undefined && read.contains === undefined) return { matches: read.matches };
    reading.problem("invalid-value", node, `${reading.place(field)} has one of \`contains\` and \`matches\``);
    return undefined;
  },
  write: (value) => ("contains" in value ? value : { matches: value.matches }),
};

const fileExpectation: Reader<FileExpectation> = mapOr(
  fileInPart,
  orNull(anyText),
  (value): value is string | null => typeof value === "string" || value === null,
);

const escalation = object(
  {
    node: optional(placed(text()), "The node at which it halted."),
    iteration: optional(text({ pattern: /^\d+\/\d+$/, words: "n/max, such as 3/3" }), "Which pass of how many."),
    reason: optional(text(), "Why, in one line."),
    evidence: optional(text(), "The last lines of what failed."),
  },
  "`escalation`",
);

const statuses = [
  "succeeded",
  "failed",
  "rejected",
  "escalated",
  "limit",
  "needs_attention",
  "stopped",
  "waiting",
] as const;

const expectationFields = {
  route: optional(route, "Every step in the order in which they end; `…` stands for any number of them."),
  outcome: optional(word(...statuses), "How the run ends."),
  exit: optional(integer(0, exitCodes.stopped), "Exit code of the command line."),
  reason: optional(text(), "Why the run ends so, in one line."),
  escalation: optional(
    mapOr(escalation, anyText, (value) => typeof value === "string"),
    "The escalation block byte for byte, or some of its fields.",
  ),
  outputs: optional(notEmpty(entriesOf(json), "Write {version: 1.2.3}."), "Outputs of the blueprint, by name."),
  files: optional(
    notEmpty(entriesOf(fileExpectation, treePath), "Write {report.txt: {contains: done}}."),
    "What files hold at the end, by path; null: it is not there.",
  ),
  passes: optional(notEmpty(entriesOf(integer(0, 1_000_000)), "Write {fix: 2}."), "How often nodes start, by name."),
  not_started: optional(notEmpty(oneOrMore(placed(name)), "Write [deploy]."), "Nodes that never start.", "notStarted"),
};

const expectationMap = object(expectationFields, "`expect`");

/** A test that expects nothing could not fail. */
const expectation: Reader<Expectation> = {
  ...expectationMap,
  schema: { ...expectationMap.schema, minProperties: 1 },
  read(node, reading, field) {
    const read = expectationMap.read(node, reading, field);
    if (node.kind !== "map" || node.entries.length > 0) return read;
    reading.problem(
      "invalid-value",
      node,
      `${reading.place(field)} is empty, so the test cannot fail`,
      "Write expect: {outcome: succeeded}.",
    );
    return undefined;
  },
};

const testFields = {
  name: required(text({ maxCharacters: limits.testNameCharacters }), "What it shows."),
  task: optional(anyText, "The task of the run."),
  task_id: optional(text(), "Under which passes are counted and escalations named; `test` when left out.", "taskId"),
  inputs: optional(entriesOf(json), "Values of inputs, by name."),
  config: optional(object(configFields, "`config`"), "Configuration over the project's own."),
  env: optional(mapOf(anyText), "Environment of nodes that are carried out for real, and the secrets of the run."),
  fixture: optional(placed(text()), "Folder beside this file; the run works in a copy of it."),
  files: optional(mapOf(anyText, treePath), "Files written into the working folder before the run, by path."),
  git: optional(boolean, "Whether the working folder is a git repository with one commit."),
  cassettes: optional(placed(text()), "Folder beside this file of recordings that agents play."),
  nodes: optional(entriesOf(nodeScript), 'What nodes come to, by name; "*" stands for those that are not named.'),
  run: optional(
    oneOrMore(placed(name)),
    "Deterministic nodes that are carried out for real, in a copy of the fixture.",
  ),
  effects: optional(listOf(text(treePath)), "Files that tell what was done outside, for --crash-matrix."),
  expect: required(expectation, "What must come of it."),
};

const whole = object(testFields, "a test");

/**
 * What could be read of a test that has a fault is looked at all the same, so
 * that everything wrong with it is said at once.
 */
const test: Reader<TestCase> = {
  ...whole,
  read(node, reading, field) {
    if (node.kind !== "map") return whole.read(node, reading, field);
    const before = reading.owner;
    reading.owner = "a test";
    const { values } = readPart(node, testFields, reading);
    reading.owner = before;
    return { name: "", expect: {}, ...values };
  },
};

/** Every key of a test file. */
export const fileFields = {
  blueprint: optional(
    placed(text()),
    "Path of the blueprint; the one of the same name beside this file when left out.",
  ),
  tests: required(someOf(placed(test), "Add a test: {name: …, expect: {…}}."), "Tests, each a run of its own."),
};
