import { isEnd } from "../../language/expand/edges.ts";
import type { Rule } from "../rule.ts";

/** END closes a path; nothing leads on from it. */
export const edgeFromEnd: Rule = {
  code: "edge-from-end",
  needs: "document",
  check({ source }, report) {
    for (const { edge, from, broken } of source.edges) {
      if (isEnd(edge.from) && broken !== true)
        report(
          from,
          `An edge cannot come from \`${edge.from}\`: END closes a path`,
          "Name the node that the path comes from.",
        );
    }
  },
};
