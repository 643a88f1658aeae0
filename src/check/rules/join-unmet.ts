import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** `join: k` needs k arms. */
export const joinUnmet: Rule = {
  code: "join-unmet",
  needs: "edges",
  check({ source, topology }, report) {
    for (const [id, node] of source.drafts) {
      if (typeof node.join !== "number") continue;
      const graph = topology();
      const arms = new Set(graph.predecessors[graph.indexOf.get(id) ?? -1]).size;
      if (node.join <= arms) continue;
      report(
        fieldRange(source, id, "join"),
        `Node \`${id}\` waits for ${node.join} arms but has ${arms}`,
        "Lower `join`, or add the missing edges.",
      );
    }
  },
};
