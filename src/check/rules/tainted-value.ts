import type { Draft } from "../../language/draft.ts";
import { portProblem } from "../../language/ports.ts";
import { originOf } from "../../language/taint.ts";
import { nodeReferences } from "../references.ts";
import type { Rule } from "../rule.ts";

const placed = /^(?:path|paths|file|files|folder|dir|directory|cwd|url|uri|repo|repository|ref|branch|image)$/;

/** What a field decides, or undefined when untrusted text may stand there. */
function sinkOf(node: Draft, field: string): string | undefined {
  if (node.type === "checkout" && (field === "repo" || field === "ref" || field === "path"))
    return "what is cloned, and where to";
  if (node.type === "human" && field === "prompt") return "what a person is asked";
  if (node.type !== "tool" || !field.startsWith("args.")) return undefined;
  return placed.test(field.split(".")[1] ?? "") ? "where a tool reaches" : undefined;
}

/** Text that an agent or a process made decides where something goes, or what a person is asked. */
export const taintedValue: Rule = {
  code: "tainted-value",
  needs: "document",
  check(context, report) {
    const { drafts: nodes } = context.source;
    for (const { ref, written, users, field, range } of nodeReferences(context)) {
      const [user = ""] = users;
      const [node, from] = [nodes.get(user), nodes.get(ref.name)];
      const sink = node && sinkOf(node, field);
      if (sink === undefined || from === undefined || portProblem(from, ref.path, context.suggest) !== undefined)
        continue;
      const origin = originOf(from, ref.path);
      if (origin !== "agent" && origin !== "process") continue;
      const who = origin === "agent" ? "an agent" : "a process";
      const message = `\`${written}\` in \`${field}\` of node \`${user}\`: text from ${who} would decide ${sink}`;
      report(range(), message, hintFor(node, ref.name, written));
    }
  },
};

function hintFor(node: Draft | undefined, source: string, written: string): string {
  if (node?.type === "human") return `Show it as evidence instead: show: ["${written}"]`;
  return `Narrow it at \`${source}\`: output: {choice: "enum[a, b]"}, and refer to {${source}.choice}.`;
}
