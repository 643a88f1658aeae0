import { isRefused } from "../../language/draft.ts";
import { oneOfWords } from "../../language/nearest.ts";
import { outcomesOf } from "../outcomes.ts";
import type { Rule } from "../rule.ts";

/** `when` is success, failure or error, or an option id or `other` where the node has options. */
export const unknownOutcome: Rule = {
  code: "unknown-outcome",
  needs: "document",
  check({ source, suggest }, report) {
    for (const { edge, when } of source.edges) {
      if (edge.when === undefined || when === undefined) continue;
      const node = source.drafts.get(edge.from);
      if (node?.type !== "decide" && outcomesOf(undefined).includes(edge.when)) continue;
      // A node that could not be read may well have the option.
      if (node === undefined ? source.origins.has(edge.from) : isRefused(node, "options")) continue;
      const allowed = outcomesOf(node);
      if (allowed.includes(edge.when)) continue;
      const message = `\`when: ${edge.when}\` is no outcome of node \`${edge.from}\`${suggest(edge.when, allowed)}`;
      const meaning = node?.type === "human" && node.mode === "approval" ? "; a yes is `success`, a no `failure`" : "";
      const expression = /[{=<>!&|]/.test(edge.when) ? "There are no expressions. " : "";
      report(when, message, `${expression}It can be ${oneOfWords(allowed)}${meaning}.`);
    }
  },
};
