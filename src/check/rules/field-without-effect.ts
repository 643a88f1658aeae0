import type { Draft } from "../../language/draft.ts";
import { isRefused } from "../../language/draft.ts";
import { entryOf, valueOf } from "../../language/tree.ts";
import type { Source } from "../../language/source.ts";
import type { Rule, RuleReport } from "../rule.ts";

/**
 * A field that nothing ever looks at: on a node of a type that does not use it, or without the field that it is about.
 */
export const fieldWithoutEffect: Rule = {
  code: "field-without-effect",
  needs: "document",
  check({ source }, report) {
    if (source.outer === undefined) checkLimits(source, report);
    const seen = new Set<unknown>();
    for (const [id, node] of source.drafts) {
      const written = source.origins.get(id)?.value;
      if (written === undefined || seen.has(written)) continue;
      seen.add(written);
      for (const [field, why, hint] of [...idleFields(node), ...idleLosers(node)]) {
        const at = entryOf(written, field)?.key.range;
        if (at !== undefined) report(at, `\`${field}\` has no effect on ${typeOf(node)} node \`${id}\`: ${why}`, hint);
      }
    }
  },
};

/** Bounds of what a watch does, where nothing is watched. */
function checkLimits({ root }: Source, report: RuleReport): void {
  if (entryOf(root, "watch") !== undefined) return;
  for (const field of ["transitions", "actions"]) {
    const at = entryOf(valueOf(root, "limits"), field)?.key.range;
    const message = `\`limits.${field}\` has no effect: it bounds a watch, and this blueprint has none`;
    if (at !== undefined) report(at, message, "The work of a run is bounded by `steps`, `time`, `tokens` and `cost`.");
  }
}

function idleLosers(node: Draft): readonly Idle[] {
  if ((node.join ?? "live") !== "live" || isRefused(node, "join")) return [];
  return [["losers", "it waits for every arm, so that none loses", "Add `join: any` or a number of arms."]];
}

type Idle = readonly [field: string, why: string, hint: string];

function idleFields(node: Draft): readonly Idle[] {
  switch (node.type) {
    case "tool":
      return [idleInput("a tool takes arguments", "Hand the value in by `args`.")];
    case "agent":
    case "agent_sandbox":
      return [idleInput("an agent reads its prompt", "Put the reference into `prompt`.")];
    case "human":
      return [
        idleInput("a person reads what is asked and shown", "Put the reference into `show`."),
        ["output", "what a person answers has the form of its mode", "Ask with `mode: form` and `fields`."],
        ...(node.timeoutMs === undefined && !isRefused(node, "timeout") ? [idleDefault] : []),
        ...(node.progress === undefined && node.effect === undefined ? [idleEnvironment] : []),
      ];
    case "provision":
      return [
        idleInput("it starts no command", "Put it on the exec node that runs the command."),
        ["output", "its output is the id of the sandbox", "Remove it."],
      ];
    case "checkout":
      return [
        idleInput("it starts no command of yours", "Put it on the exec node that runs the command."),
        ["output", "its output is the commit", "Remove it."],
      ];
    case "code":
      return node.output === undefined || node.output.as === "schema" ? [] : [idleFormat];
    default:
      return [];
  }
}

const idleInput = (why: string, hint: string): Idle => ["stdin", why, hint];
const idleEnvironment: Idle = ["env", "it starts no command", "Put a reference that is to be seen into `show`."];
const idleDefault: Idle = ["default", "it is the answer when the time is up, and that never is", "Add `timeout: 2d`."];
const idleFormat: Idle = [
  "output",
  "what the body returns is the output, as it is",
  "Return a list for lines, or hold what is returned to a schema: output: {files: list<string>}",
];

function typeOf(node: Draft): string {
  return (node.type === "plugin" ? node.plugin : undefined) ?? node.type;
}
