import type { Reference } from "../../model/template.ts";
import type { Draft } from "../../language/draft.ts";
import { outputProblem, partProblem, portProblem } from "../../language/ports.ts";
import { outermost, type Source } from "../../language/source.ts";
import { stockNodes } from "../../language/stock/set.ts";
import { references } from "../../language/template.ts";
import { valueOf } from "../../language/tree.ts";
import { schemaOf } from "../schemas.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Every reference names a node, an input or `task`, and a port that can exist. */
export const unknownReference: Rule = {
  code: "unknown-reference",
  needs: "document",
  check(context, report) {
    const { source, within } = context;
    const inputs = inputNames(outermost(source));
    for (const { template, scalar, inside } of source.templates) {
      if (inside === true) continue;
      for (const ref of references(template)) {
        const found = fault(ref, template.source.slice(ref.start, ref.end), context, inputs);
        if (found !== undefined) report(within(scalar, ref.start, ref.end), found.message, found.hint);
      }
    }
  },
};

interface Fault {
  readonly message: string;
  readonly hint?: string;
}

function inputNames(source: Source): ReadonlySet<string> {
  const inputs = valueOf(source.root, "inputs");
  return new Set(["task", ...(inputs?.kind === "map" ? inputs.entries.map((entry) => entry.key.source) : [])]);
}

function fault(ref: Reference, written: string, context: RuleContext, inputs: ReadonlySet<string>): Fault | undefined {
  switch (ref.source) {
    case "task":
      return ref.path.length === 0
        ? undefined
        : { message: `\`${written}\`: the task is text and has no parts`, hint: "Write {task}." };
    case "inputs":
      if (context.source.refused.has("inputs")) return undefined;
      return inputFault(ref, written, context, inputs);
    case "item":
    case "index":
      if (context.source.outer !== undefined) return partFault(ref, written, ref.source, context);
      return { message: `\`${written}\` exists only inside a map`, hint: `To print it as text, write {${written}.` };
    case "node":
      return nodeFault(ref, written, context, inputs);
  }
}

function inputFault(
  ref: Reference,
  written: string,
  context: RuleContext,
  inputs: ReadonlySet<string>,
): Fault | undefined {
  if (ref.name === "") return { message: `\`${written}\` names no input`, hint: "Write {inputs.name}." };
  if (inputs.has(ref.name)) return partFault(ref, written, `inputs.${ref.name}`, context);
  return {
    message: `\`${written}\`: there is no input \`${ref.name}\`${context.suggest(ref.name, inputs)}`,
    hint: `Declare it: inputs: {${ref.name}: string}`,
  };
}

/** What is known of an input, or of the items of a list, has such a part. */
function partFault(ref: Reference, written: string, whole: string, context: RuleContext): Fault | undefined {
  const schema = schemaOf(ref, context.source);
  const problem = schema && partProblem(whole, schema, ref.path, context.suggest);
  return problem && { message: `\`${written}\`: ${problem.message}`, hint: problem.hint };
}

/** Nodes that could not be read, and the stock nodes of a flow that could not, may have the name. */
function isUnread(name: string, { refused }: Source): boolean {
  return refused.has("nodes") || (refused.has("flow") && stockNodes().has(name));
}

function calleeProblem(node: Draft, path: readonly string[], { calleeOf, suggest }: RuleContext): Fault | undefined {
  const callee = node.type === "call" && node.blueprint !== undefined ? calleeOf(node.blueprint) : undefined;
  if (callee === undefined || "problem" in callee) return undefined;
  return outputProblem(node.id, callee.outputs, path, suggest);
}

function nodeFault(
  ref: Reference,
  written: string,
  context: RuleContext,
  inputs: ReadonlySet<string>,
): Fault | undefined {
  const { source, suggest } = context;
  for (let around: Source | undefined = source; around !== undefined; around = around.outer) {
    if (!around.origins.has(ref.name)) continue;
    const node = around.drafts.get(ref.name);
    const problem = node && (portProblem(node, ref.path, suggest) ?? calleeProblem(node, ref.path, context));
    return problem === undefined
      ? undefined
      : {
          message: `\`${written}\`: ${problem.message}`,
          ...(problem.hint === undefined ? {} : { hint: problem.hint }),
        };
  }
  if (isUnread(ref.name, source)) return undefined;
  if (inputs.has(ref.name))
    return { message: `\`${written}\` names an input`, hint: `Write {inputs.${[ref.name, ...ref.path].join(".")}}.` };
  const message = `\`${written}\` names nothing here: \`${ref.name}\` is no node${suggest(ref.name, ["task", ...source.origins.keys()])}`;
  return { message, hint: `References are {task}, {inputs.name} and {node}; to print it as text, write {${written}.` };
}
