import type { Node } from "../../model/blueprint.ts";
import { oneOfWords } from "../../language/nearest.ts";
import type { Rule } from "../rule.ts";

const outcomes = ["success", "failure", "error"];

/** Option ids of a node, in the order written. */
function optionsOf(node: Node): readonly string[] {
  if (node.type === "agent") return node.options ?? [];
  return node.type === "human" ? (node.options ?? []).map((option) => option.id) : [];
}

/** `when` is success, failure or error, or an option id or `other` where the node has options. */
export const unknownOutcome: Rule = {
  code: "unknown-outcome",
  needs: "document",
  check({ source, suggest }, report) {
    for (const { edge, when } of source.edges) {
      if (edge.when === undefined || when === undefined || outcomes.includes(edge.when)) continue;
      const node = source.blueprint.nodes.get(edge.from);
      // A node that could not be read may well have the option.
      if (node === undefined && source.origins.has(edge.from)) continue;
      const options = node === undefined ? [] : optionsOf(node);
      const allowed = options.length === 0 ? outcomes : [...outcomes, ...options, "other"];
      if (allowed.includes(edge.when)) continue;
      const message = `\`when: ${edge.when}\` is no outcome of node \`${edge.from}\`${suggest(edge.when, allowed)}`;
      report(when, message, `It can be ${oneOfWords(allowed)}.`);
    }
  },
};
