import type { AgentPolicy } from "../../model/agent-settings.ts";
import type { ReadScope } from "../../model/settings.ts";
import { limits } from "../../model/limits.ts";
import { boolean, duration, integer, text, word } from "../read/scalars.ts";
import type { Reader } from "../read/reading.ts";
import { listOf } from "../read/collections.ts";
import { object, optional, required } from "../read/table.ts";

const patterns = listOf(text());

const mode = word("allow_all", "read_only", "ask");

const policyMap = object(
  {
    mode: required(mode, "What the agent may do when nothing else says so."),
    allow: optional(
      patterns,
      "Tools, or beginnings of commands, that are allowed whatever the mode; under allow_all nothing else is but reading.",
    ),
    deny: optional(patterns, "Tools or commands that are never allowed, whatever else is said."),
    network: optional(boolean, "Whether its commands may use the network."),
  },
  "`policy`",
);

/** A map, or its mode alone. */
const policy: Reader<AgentPolicy> = {
  expected: `${mode.expected}, or a map`,
  schema: { anyOf: [mode.schema, policyMap.schema] },
  read(node, reading, field) {
    if (node.kind !== "scalar") return policyMap.read(node, reading, field);
    const alone = mode.read(node, reading, field);
    return alone === undefined ? undefined : { mode: alone };
  },
  write: (value) => (Object.keys(value).length === 1 ? value.mode : policyMap.write(value)),
};

const repository = word("repository");

/** A list, or the one word. */
const readScope: Reader<ReadScope> = {
  expected: `${repository.expected}, or a list`,
  schema: { anyOf: [repository.schema, patterns.schema] },
  read: (node, reading, field) =>
    node.kind === "scalar" ? repository.read(node, reading, field) : patterns.read(node, reading, field),
  write: (value) => (value === "repository" ? value : patterns.write(value)),
};

const context = object(
  {
    include: optional(
      patterns,
      "Files (globs), outputs of commands (`$ git log -5`) and links, as they stand, that are put into the prompt.",
    ),
    read: optional(readScope, "Files it may read: globs, or `repository` for what git does not ignore."),
    only: optional(
      word("require", "report"),
      "`require` refuses the run where nothing could hold the agent to `read`; `report` lists what such an agent read outside of it.",
    ),
  },
  "`context`",
);

/** Settings of an agentic node, and of `agent` at the top level, where they are the defaults. */
export const agentSettings = {
  provider: optional(text(), "Name of a configured provider."),
  model: optional(text(), "Model as vendor/name."),
  tools: optional(listOf(text()), "The only tools it is offered."),
  policy: optional(policy, "What it may do."),
  turns: optional(integer(1, limits.agentTurnsMax), "Most turns of one pass."),
  stall: optional(duration, "How long it may show no sign of life before it is ended, as an error.", "stallMs"),
  context: optional(context, "What it is shown and may read."),
};
