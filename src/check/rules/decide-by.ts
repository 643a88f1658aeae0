import type { Draft } from "../../language/draft.ts";
import { isRefused } from "../../language/draft.ts";
import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

type Decision = Extract<Draft, { readonly type: "decide" }>;

/** Rules need `by: rules` and `by: rules` needs rules; a confidence is of a model or a case. */
export const decideBy: Rule = {
  code: "decide-by",
  needs: "document",
  check({ source }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "decide") continue;
      for (const [field, message, hint] of faultsOf(node)) report(fieldRange(source, id, field), message, hint);
    }
  },
};

type Fault = readonly [field: string, message: string, hint: string];

function faultsOf(node: Decision): readonly Fault[] {
  const { id, by, options, confidence } = node;
  if (by === undefined || by.length === 0) return [];
  const faults: Fault[] = [];
  const onlyRules = by.every((chooser) => chooser === "rules");
  if (options !== undefined && options.length > 0 && !isRefused(node, "options")) {
    const hasRules = options.some(({ match }) => match !== undefined);
    if (onlyRules && !hasRules)
      faults.push([
        "by",
        `Decision \`${id}\` is made by rules, but none of its options has one`,
        "Give an option `match:`, or add model to `by`.",
      ]);
    if (hasRules && !by.includes("rules"))
      faults.push([
        "by",
        `Decision \`${id}\` has rules that nobody looks at: \`by\` does not name them`,
        "Add rules to `by`, or remove `match:`.",
      ]);
  }
  if (onlyRules && confidence !== undefined)
    faults.push([
      "confidence",
      `Decision \`${id}\` asks for confidence, but a rule has none: it fits or does not`,
      "Add model to `by`, or remove `confidence`.",
    ]);
  return faults;
}
