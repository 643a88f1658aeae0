import type { MapBody } from "../../model/node.ts";

import { limits } from "../../model/limits.ts";
import { optional, required } from "../read/table.ts";
import type { Fields } from "../read/table.ts";
import type { Reader } from "../read/reading.ts";
import { duration, integer, template, text, word } from "../read/scalars.ts";
import { args } from "./arguments.ts";
import { join, presentation } from "./common.ts";

/** What a node that does nothing itself can have: the rest is said where it is done. */
const around = {
  ...presentation,
  cap: optional(integer(1, limits.capMaxPasses), "Most passes of this node in one run."),
  timeout: optional(duration, "Longest time of one attempt.", "timeoutMs"),
  join: optional(join, "When a node with several incoming edges starts."),
  losers: optional(word("cancel", "drain"), "What becomes of arms that an any or k join no longer needs."),
  expect: optional(word("success", "failure"), "`failure` turns the outcome round."),
} satisfies Fields;

export const callFields = {
  ...around,
  blueprint: optional(
    text(),
    "The blueprint it runs: a path relative to this document, or a name as `trammel run -b` takes it.",
  ),
  solution: optional(text(), "The saved solution it runs."),
  with: optional(args, "Inputs of the callee by name; strings may hold references. `task` too."),
} satisfies Fields;

/** The body is read and written by whoever reads nodes, since it holds some. */
const body: Reader<MapBody> = {
  expected: "a node such as {type: script, run: npm test}, or a map with `nodes` and `edges`",
  schema: { anyOf: [{ $ref: "#/definitions/node" }, { $ref: "#/definitions/body" }] },
  read: (node, reading, field) => reading.readBody(node, field),
  write: () => null,
};

export const mapFields = {
  ...around,
  over: required(template, "Reference to the list: its items are taken in order."),
  do: required(body, "What is done with each: a node or a small graph, with {item} and {index}."),
  max: optional(integer(1, limits.mapMaxItems), "Most items; more are a failure. 100 when absent."),
  parallel: optional(integer(1, limits.parallelMaxNodes), "Most items at once; one when absent."),
} satisfies Fields;
