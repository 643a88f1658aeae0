import type { Draft } from "../language/draft.ts";
import type { Source } from "../language/source.ts";
import { holdsInput } from "../language/taint.ts";
import { references } from "../language/template.ts";
import { executedArguments } from "../model/tools.ts";
import type { CalleeOf } from "./callee.ts";

const placed = /^(?:path|paths|file|files|folder|dir|directory|cwd|url|uri|repo|repository|ref|branch|image)$/;

/** Arguments that tools of servers execute. */
const scripted = /^(?:command|commands|cmd|argv|script|shell)$/;

/** Variables whose value shells, loaders, interpreters, git and the like run, or take for where what they run lies. */
const executed =
  /^(?:PATH|BASH_ENV|SHELL|PROMPT_COMMAND|LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|CLASSPATH|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|MAKEFLAGS|EDITOR|VISUAL|PAGER|GIT_(?:SSH|SSH_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND|EXTERNAL_DIFF|EXEC_PATH|TEMPLATE_DIR|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_(?:KEY|VALUE)_\d+)|SSH_ASKPASS)$/;

/** What a field decides, or undefined when untrusted text may stand there. */
export function sinkOf(node: Draft, field: string, calleeOf: CalleeOf = () => undefined): string | undefined {
  if (node.type === "call") {
    const [base, input = ""] = field.split(".", 2);
    const callee = base === "with" && node.blueprint !== undefined ? calleeOf(node.blueprint) : undefined;
    return callee === undefined || "problem" in callee ? undefined : callee.decides?.get(input);
  }
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

/** The task and inputs that stand where untrusted text may not, also further in, each with what it decides. */
export function decisiveInputs(source: Source, calleeOf: CalleeOf = () => undefined): ReadonlyMap<string, string> {
  const decided = new Map<string, string>();
  const { inputs } = source.blueprint;
  const graphs = [source];
  for (const graph of graphs) {
    graphs.push(...graph.bodies);
    for (const { template, field, node: user = "", inside } of graph.templates) {
      const node = inside === true ? undefined : graph.drafts.get(user);
      const sink = node && sinkOf(node, field, calleeOf);
      if (sink === undefined) continue;
      for (const { source: from, name, path } of references(template)) {
        if (from === "task") decided.set("task", sink);
        const spec = from === "inputs" && Object.hasOwn(inputs, name) ? inputs[name] : undefined;
        if (spec !== undefined && !holdsInput(spec, path)) decided.set(name, sink);
      }
    }
    for (const node of graph.drafts.values()) {
      if (node.type !== "call" || Object.hasOwn(node.with ?? {}, "task")) continue;
      // A callee is given the task of its caller.
      const sink = sinkOf(node, "with.task", calleeOf);
      if (sink !== undefined) decided.set("task", sink);
    }
  }
  return decided;
}
