import type { Node } from "../../model/node.ts";
import { json, listOf, mapOf } from "../read/collections.ts";
import { object, optional, required } from "../read/table.ts";
import type { Fields } from "../read/table.ts";
import type { Reader } from "../read/reading.ts";
import { duration, integer, positive, requiredText, size, template, text, word } from "../read/scalars.ts";
import { quote } from "../tree.ts";
import { agentSettings } from "./agent.ts";
import { args } from "./arguments.ts";
import { common, presentation } from "./common.ts";
import { decideFields } from "./decide.ts";
import { optionName, optionsWith } from "./options.ts";
import { inputSpec } from "./schemas.ts";
import { variableName } from "./variable-names.ts";
import { callFields, mapFields } from "./wrappers.ts";

const humanOptions = optionsWith(object({ title: optional(text(), "Text shown for the option.") }, "the option"), {});

/** A date with a time and a zone: without a zone it would depend on the machine. */
const instantRules = {
  pattern:
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
  words: "a time with a zone such as 2026-12-01T09:00:00+10:00",
};

const zoned = text(instantRules);

/** A day that its month does not have would be taken for one of the next. */
const instant: Reader<string> = {
  ...zoned,
  read(node, reading, field) {
    const value = zoned.read(node, reading, field);
    if (value === undefined) return undefined;
    const [year, month, day] = value.slice(0, "2026-12-01".length).split("-").map(Number);
    const last = lastDayOf(year ?? 0, month ?? 0);
    if ((day ?? 0) <= last) return value;
    const message = `${reading.place(field)} names a day that does not exist: ${quote(value)}`;
    reading.problem("invalid-value", node, message, `That month has ${last} days.`);
    return undefined;
  },
};

function lastDayOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function commandText(reader: Reader<string>): Reader<string> {
  return {
    ...reader,
    read(node, reading, field) {
      if (node.kind !== "list") return reader.read(node, reading, field);
      const lines = node.items.flatMap((item) => (item.kind === "scalar" ? [item.source] : []));
      return reading.wrongType(
        node,
        field,
        reader.expected,
        `Write one text: ${field}: ${lines.slice(0, 5).join(lines.some((line) => line.includes(" ")) ? " && " : " ")}`,
      );
    },
  };
}

const command: Reader<string> = commandText(text({ words: "a command as text" }));
const container = required(template, "Reference to the sandbox: `{name}` of a provision node.");

/** What each node type has besides the common fields; the one source of checking, docs and the editor schema. */
export const nodeFields = {
  agent: {
    ...common,
    ...agentSettings,
    prompt: required(requiredText, "What it is asked to do."),
    options: optional(listOf(optionName), "Its answer is one of these, routable by `when:`."),
  },
  tool: {
    ...common,
    tool: required(text(), "Name of a registered tool."),
    args: optional(args, "Arguments; strings may hold references."),
  },
  script: {
    ...common,
    run: required(command, "Shell command; exit 0 is success."),
    shell: optional(word("sh", "bash"), "`bash` adds pipefail."),
    autofix: optional(command, "Command that runs once after a failure, then the check again, at no cost."),
    cwd: optional(text(), "Working folder inside the workspace."),
  },
  human: {
    ...common,
    prompt: required(requiredText, "What the person is asked."),
    mode: optional(word("input", "approval", "choice", "form"), "Kind of answer; input when absent."),
    show: optional(listOf(template), "References shown as inert evidence and bound into the answer."),
    options: optional(humanOptions, "What can be chosen."),
    fields: optional(mapOf(inputSpec), "Fields of a form."),
    default: optional(json, "Answer when the time is up."),
    approvers: optional(listOf(text()), "Who may answer."),
  },
  provision: {
    ...common,
    image: required(text(), "Image of the sandbox."),
    env: optional(listOf(variableName), "Names of environment variables to forward; never values.", "forward"),
    network: optional(text(), "Network of the sandbox."),
    memory: optional(size, "Memory limit.", "memoryBytes"),
    cpus: optional(positive(1024), "Processors."),
    pids: optional(integer(1, 1_000_000), "Most processes."),
    mount: optional(listOf(text()), "Folders to mount."),
  },
  checkout: {
    ...common,
    container,
    repo: required(requiredText, "Repository to clone."),
    ref: optional(template, "Branch, tag or commit."),
    path: optional(template, "Where to put it; /workspace when absent."),
  },
  exec: {
    ...common,
    container,
    run: required(command, "Shell command inside the sandbox."),
    workdir: optional(text(), "Working folder in the sandbox."),
  },
  agent_sandbox: {
    ...common,
    ...agentSettings,
    container,
    prompt: required(requiredText, "What it is asked to do."),
    port: optional(integer(1, 65_535), "Port the agent listens on."),
    command: optional(command, "Command that starts the agent."),
  },
  code: {
    ...common,
    language: required(word("js", "ts"), "Language of the body."),
    body: required(
      text({ words: "source code as text" }),
      "Function body; `return` is the output, `fail(text)` a failure.",
    ),
    with: optional(args, "Values handed in by name."),
  },
  call: callFields,
  map: mapFields,
  decide: decideFields,
  wait: {
    ...presentation,
    for: optional(duration, "How long.", "forMs"),
    until: optional(instant, "Until when (ISO 8601)."),
  },
} satisfies Partial<Record<Node["type"], Fields>>;

export type BuiltInType = keyof typeof nodeFields;

export const builtInTypes = Object.keys(nodeFields).sort();

export function isBuiltIn(type: string): type is BuiltInType {
  return Object.hasOwn(nodeFields, type);
}
