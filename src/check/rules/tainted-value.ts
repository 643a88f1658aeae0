import type { Draft } from "../../language/draft.ts";
import { portProblem } from "../../language/ports.ts";
import type { Reference } from "../../model/template.ts";
import type { Source } from "../../language/source.ts";
import { plainWords } from "../../language/patterns/plain.ts";
import { hasLoosePattern, originOf } from "../../language/taint.ts";
import type { Origin } from "../../language/taint.ts";
import { references } from "../../language/template.ts";
import { sinkOf } from "../decisive.ts";
import { quote } from "../../language/tree.ts";
import { listOf } from "../schemas.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Text that an agent or a process made decides where something goes, or what a person is asked. */
export const taintedValue: Rule = {
  code: "tainted-value",
  needs: "document",
  check(context, report) {
    const { source, within } = context;
    for (const { template, scalar, field, node: user = "", inside } of source.templates) {
      const node = inside === true ? undefined : source.drafts.get(user);
      if (node === undefined) continue;
      const sink = sinkOf(node, field, context.calleeOf);
      if (sink === undefined) continue;
      const where = node.type === "call" ? ` in ${quote(node.blueprint ?? "")}` : "";
      for (const ref of references(template)) {
        const origin = originIn(ref, source, context.suggest);
        if (origin !== "agent" && origin !== "process") continue;
        const written = template.source.slice(ref.start, ref.end);
        const who = origin === "agent" ? "an agent" : "a process";
        const message = `\`${written}\` in \`${field}\` of node \`${user}\`: text from ${who} would decide ${sink}${where}`;
        const from = source.drafts.get(ref.name);
        const isLoose = from !== undefined && hasLoosePattern(from, ref.path);
        const hint = isLoose ? `To hold it, its pattern must ${plainWords}.` : hintFor(node, ref.name, written);
        report(within(scalar, ref.start, ref.end), message, hint);
      }
    }
  },
};

/**
 * Where a value comes from; undefined for what is nobody's or cannot exist. Of the items of a
 * map nobody has seen those that do not come from an input.
 */
function originIn(ref: Reference, source: Source, suggest: RuleContext["suggest"]): Origin | undefined {
  if (ref.source === "item") return itemOrigin(source);
  if (ref.source !== "node") return undefined;
  const node = source.drafts.get(ref.name);
  if (node === undefined) return source.outer && originIn(ref, source.outer, suggest);
  return portProblem(node, ref.path, suggest) === undefined ? originOf(node, ref.path) : undefined;
}

function itemOrigin(source: Source): Origin | undefined {
  const over = listOf(source);
  if (over === undefined || source.outer === undefined) return undefined;
  const origins = references(over).map((ref) =>
    ref.source === "item" && source.outer !== undefined ? itemOrigin(source.outer) : ref.source,
  );
  return origins.some((origin) => origin === "node" || origin === "process") ? "process" : "operator";
}

function hintFor(node: Draft | undefined, source: string, written: string): string {
  if (node?.type === "human") return `Show it as evidence instead: show: ["${written}"]`;
  if (node?.type === "call")
    return `Narrow it at \`${source}\`, or the input of the callee by an enum or a pattern of letters, digits and signs of names.`;
  if (node?.type === "decide") return `Let it be what is looked at: about: "${written}"`;
  return `Narrow it at \`${source}\`: output: {choice: "enum[a, b]"}, and refer to {${source}.choice}.`;
}
