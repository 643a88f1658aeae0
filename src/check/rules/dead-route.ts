import type { Draft } from "../../language/draft.ts";
import { isRefused } from "../../language/draft.ts";
import type { Rule } from "../rule.ts";

/** Why a node can never have an outcome, or undefined when it can. */
export function neverHas(node: Draft, when: string): string | undefined {
  if (when === "failure" && node.timeoutMs === undefined && !isRefused(node, "timeoutMs")) {
    if (node.type === "provision") return "a sandbox that cannot be made is an error, never a failure";
    if (node.type === "wait") return "waiting never fails";
    if (node.type === "human" && node.mode === "input")
      return "an input gate without a timeout takes whatever is answered";
  }
  if (when === "other" && node.type === "human") return "a person picks one of the options";
  return undefined;
}

/** Edges on an outcome that their node cannot have. */
export const deadRoute: Rule = {
  code: "dead-route",
  needs: "document",
  check({ source }, report) {
    for (const { edge, when } of source.edges) {
      const node = source.drafts.get(edge.from);
      if (node === undefined || edge.when === undefined || when === undefined) continue;
      const why = neverHas(node, edge.when);
      if (why !== undefined)
        report(when, `The edge from \`${edge.from}\` can never fire: ${why}`, "Use `when: error`, or remove the edge.");
    }
  },
};
