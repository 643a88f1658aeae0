import { limits } from "../../model/limits.ts";
import { listOf } from "../read/collections.ts";
import { object, optional, required } from "../read/table.ts";
import { boolean, count, duration, integer, money, size, template, text, word } from "../read/scalars.ts";
import { agentSettings } from "./agent.ts";
import { inputs, outputs } from "./schemas.ts";

const nameRules = {
  pattern: /^[a-z0-9][a-z0-9_-]{0,63}$/,
  words: "small letters, digits, _ and -, at most 64, beginning with a letter or digit",
  mended: (value: string) =>
    value
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, "-")
      .replaceAll(/^[-_]+|-+$/g, "")
      .slice(0, 64),
};

/** What bounds a run. */
export const limitFields = {
  steps: optional(integer(1, 1_000_000), "Most node starts of a run."),
  time: optional(duration, "Longest time in which something runs.", "timeMs"),
  retries: optional(integer(0, limits.retriesMax), "Attempts after an error that came before any effect."),
  tokens: optional(count, "Most model tokens."),
  cost: optional(money, "Most money for models."),
  memory: optional(size, "Memory of each process.", "memoryBytes"),
  output: optional(size, "Kept output of each stream.", "outputBytes"),
  parallel: optional(integer(1, limits.parallelMaxNodes), "Most nodes at once."),
  transitions: optional(integer(1, 65_536), "Most accepted transitions of a watch."),
  actions: optional(integer(1, 65_536), "Most actions of a watch."),
};

const runLimits = object(limitFields, "`limits`");

const workspace = object(
  {
    cwd: optional(text(), "Working folder of commands."),
    isolate: optional(word("none", "worktree"), "`worktree` runs in a git worktree of its own."),
    carry: optional(listOf(text()), "Untracked files to carry into the worktree (globs)."),
    setup: optional(text(), "Command that prepares a new worktree."),
    checkpoint: optional(boolean, "Snapshot the tree before each attempt."),
    protect: optional(listOf(text()), "Files that nothing may change (globs)."),
  },
  "`workspace`",
);

const records = object(
  {
    state: optional(text(), "File that gets a section for each escalation."),
    counters: optional(text(), "File that mirrors the passes."),
    timezone: optional(text(), "IANA time zone of dates."),
    pr_template: optional(text(), "File with the body of a pull request.", "prTemplate"),
  },
  "`records`",
);

const concurrency = object(
  {
    key: optional(template, "Runs with the same key go one at a time; text, `{task}` and `{inputs.NAME}`."),
    overlap: optional(
      word("queue", "skip", "allow"),
      "What becomes of a detached run that finds another in its place; `allow` lifts the key.",
    ),
  },
  "`concurrency`",
);

/** Top level of a document, without the parts that make the graph. */
export const documentFields = {
  name: required(text(nameRules), "Name of the blueprint."),
  note: optional(text({ maxCharacters: limits.noteCharacters }), "What it is for."),
  inputs: optional(inputs, "Values that a run is given, besides `task`."),
  outputs: optional(outputs, "Values that a caller receives."),
  agent: optional(object(agentSettings, "`agent`"), "Defaults of agentic nodes."),
  limits: optional(runLimits, "Bounds of a run."),
  escalate: optional(listOf(word("cap", "no_progress", "error", "failure")), "What halts a run with an escalation."),
  locale: optional(
    text({ pattern: /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, words: "a language tag such as en-AU" }),
    "Language of generated text and dates.",
  ),
  records: optional(records, "State and counter files."),
  workspace: optional(workspace, "Where commands run and what is kept safe."),
  concurrency: optional(concurrency, "What runs of this blueprint have to themselves."),
  finally: optional(text(), "Node that runs once when the run ends, whatever the end."),
} as const;

/** Keys of the top level that are read with the graph. */
export const graphKeys = ["blueprint", "entry", "nodes", "edges", "flow"] as const;

/** Known to the language, of documents that this version checks but cannot run. */
export const watchKeys = ["watch", "stages", "on"] as const;
