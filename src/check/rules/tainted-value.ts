import type { Draft } from "../../language/draft.ts";
import { portProblem } from "../../language/ports.ts";
import type { Reference } from "../../model/template.ts";
import type { Source } from "../../language/source.ts";
import { originOf } from "../../language/taint.ts";
import type { Origin } from "../../language/taint.ts";
import { references } from "../../language/template.ts";
import { executedArguments } from "../../model/tools.ts";
import type { Rule, RuleContext } from "../rule.ts";

const placed = /^(?:path|paths|file|files|folder|dir|directory|cwd|url|uri|repo|repository|ref|branch|image)$/;

/** Arguments that tools of servers execute. */
const scripted = /^(?:command|commands|cmd|argv|script|shell)$/;

/** Variables whose value shells, loaders, interpreters, git and the like run, or take for where what they run lies. */
const executed =
  /^(?:PATH|BASH_ENV|SHELL|PROMPT_COMMAND|LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|CLASSPATH|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|MAKEFLAGS|EDITOR|VISUAL|PAGER|GIT_(?:SSH|SSH_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND|EXTERNAL_DIFF|EXEC_PATH|TEMPLATE_DIR|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_(?:KEY|VALUE)_\d+)|SSH_ASKPASS)$/;

/** What a field decides, or undefined when untrusted text may stand there. */
function sinkOf(node: Draft, field: string): string | undefined {
  if (node.type === "checkout" && (field === "repo" || field === "ref" || field === "path"))
    return "what is cloned, and where to";
  if (node.type === "human" && field === "prompt") return "what a person is asked";
  if (node.type === "decide" && field === "question") return "what is decided";
  if (field.startsWith("env.") && executed.test(field.slice("env.".length))) return "what is executed";
  if (node.type !== "tool" || !field.startsWith("args.")) return undefined;
  // A reference there is refused whatever it leads to.
  if (executedArguments(node.tool ?? "").some((name) => field === `args.${name}`)) return undefined;
  const parts = field.split(".");
  if (parts.some((part) => scripted.test(part))) return "what a tool executes";
  return parts.some((part) => placed.test(part)) ? "where a tool reaches" : undefined;
}

/** Text that an agent or a process made decides where something goes, or what a person is asked. */
export const taintedValue: Rule = {
  code: "tainted-value",
  needs: "document",
  check(context, report) {
    const { source, within } = context;
    for (const { template, scalar, field, node: user = "", inside } of source.templates) {
      const node = inside === true ? undefined : source.drafts.get(user);
      const sink = node && sinkOf(node, field);
      if (sink === undefined) continue;
      for (const ref of references(template)) {
        const origin = originIn(ref, source, context.suggest);
        if (origin !== "agent" && origin !== "process") continue;
        const written = template.source.slice(ref.start, ref.end);
        const who = origin === "agent" ? "an agent" : "a process";
        const message = `\`${written}\` in \`${field}\` of node \`${user}\`: text from ${who} would decide ${sink}`;
        report(within(scalar, ref.start, ref.end), message, hintFor(node, ref.name, written));
      }
    }
  },
};

/** Where a value comes from; undefined for what is nobody's or cannot exist. Nobody has looked at the items of a map. */
function originIn(ref: Reference, source: Source, suggest: RuleContext["suggest"]): Origin | undefined {
  if (ref.source === "item") return source.outer === undefined ? undefined : "process";
  if (ref.source !== "node") return undefined;
  const node = source.drafts.get(ref.name);
  if (node === undefined) return source.outer && originIn(ref, source.outer, suggest);
  return portProblem(node, ref.path, suggest) === undefined ? originOf(node, ref.path) : undefined;
}

function hintFor(node: Draft | undefined, source: string, written: string): string {
  if (node?.type === "human") return `Show it as evidence instead: show: ["${written}"]`;
  if (node?.type === "decide") return `Let it be what is looked at: about: "${written}"`;
  return `Narrow it at \`${source}\`: output: {choice: "enum[a, b]"}, and refer to {${source}.choice}.`;
}
