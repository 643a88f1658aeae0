import type { TypeSpec } from "../../model/type-spec.ts";
import { wordsOf } from "../../language/fields/schemas.ts";
import { references, soleReference } from "../../language/template.ts";
import { entryOf, valueOf } from "../../language/tree.ts";
import { allowsNull } from "../../language/types.ts";
import { nodeReferences } from "../references.ts";
import type { Rule, RuleContext, RuleReport } from "../rule.ts";

/**
 * A value that does not exist is empty in text and null elsewhere; the list of a map, most types of outputs and the key
 * of a run, which is asked for before any node begins, can be neither.
 */
export const valueNotReady: Rule = {
  code: "value-not-ready",
  needs: "paths",
  check(context, report) {
    checkLists(context, report);
    checkOutputs(context, report);
    checkCalls(context, report);
    checkKey(context, report);
  },
};

function checkLists(context: RuleContext, report: RuleReport): void {
  const { source, order } = context;
  for (const { ref, users, field, range } of nodeReferences(context)) {
    const user = users.find((id) => field === "over" && source.drafts.get(id)?.type === "map");
    // Of nodes that can run at the same time, parallel-reference says more.
    if (user === undefined || order().canRunTogether(ref.name, user)) continue;
    if (!order().canStartWithout(ref.name, user)) continue;
    const message = `Map \`${user}\` can start before \`${ref.name}\` has said what its items are`;
    report(range(), message, `Let every way to \`${user}\` lead through \`${ref.name}\`.`);
  }
}

function checkOutputs({ source, order, within }: RuleContext, report: RuleReport): void {
  for (const [name, { type, from }] of Object.entries(source.blueprint.outputs)) {
    const ref = soleReference(from);
    if (ref?.source !== "node" || !source.origins.has(ref.name) || canBeMissing(type)) continue;
    if (!order().canSucceedWithout(ref.name)) continue;
    const scalar = entryOf(valueOf(source.root, "outputs", name), "from")?.value;
    if (scalar?.kind !== "scalar") continue;
    const message = `Output \`${name}\` has no value when the run succeeds without node \`${ref.name}\`, and ${wordsOf(type)} cannot be null`;
    const hint = `Let every way that succeeds lead through \`${ref.name}\`, or make it \`json\`, which is then null, or \`string\`, which is then empty.`;
    report(within(scalar, ref.start, ref.end), message, hint);
  }
}

function checkKey({ source, within }: RuleContext, report: RuleReport): void {
  const { key } = source.blueprint.concurrency;
  const scalar = valueOf(source.root, "concurrency", "key");
  if (key === undefined || scalar?.kind !== "scalar") return;
  for (const { source: of, name, start, end } of references(key)) {
    if (of !== "node" || !source.origins.has(name)) continue;
    const message = `\`${key.source.slice(start, end)}\` has no value yet when the key of a run is needed, before it begins`;
    report(within(scalar, start, end), message, "Make the key of text, {task} and {inputs.NAME}.");
  }
}

function checkCalls({ source, order, within, calleeOf }: RuleContext, report: RuleReport): void {
  for (const node of source.drafts.values()) {
    const callee = node.type === "call" && node.blueprint !== undefined ? calleeOf(node.blueprint) : undefined;
    if (node.type !== "call" || callee === undefined || "problem" in callee) continue;
    for (const [name, argument] of Object.entries(node.with ?? {})) {
      const ref = argument.kind === "template" ? soleReference(argument.template) : undefined;
      const spec = Object.hasOwn(callee.inputs, name) ? callee.inputs[name] : undefined;
      if (ref?.source !== "node" || !source.origins.has(ref.name) || spec === undefined) continue;
      if (spec.default !== undefined || canBeMissing(spec.type)) continue;
      if (order().canRunTogether(ref.name, node.id) || !order().canStartWithout(ref.name, node.id)) continue;
      const scalar = valueOf(source.origins.get(node.id)?.value, "with", name);
      if (scalar?.kind !== "scalar") continue;
      const message = `Call \`${node.id}\` can start before \`${ref.name}\` has said what \`${name}\` is, and ${wordsOf(spec.type)} cannot be null`;
      const hint = `Let every way to \`${node.id}\` lead through \`${ref.name}\`, or give the input a default.`;
      report(within(scalar, ref.start, ref.end), message, hint);
    }
  }
}

/** Text that does not exist is empty. */
function canBeMissing(type: TypeSpec): boolean {
  return type.kind === "string" || allowsNull(type);
}
