import type { LocatedEdge } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** The same edge twice is one edge; it is likely that another was meant. */
export const duplicateEdge: Rule = {
  code: "duplicate-edge",
  needs: "document",
  check({ source }, report) {
    const seen = new Map<string, LocatedEdge>();
    for (const located of source.edges) {
      if (located.broken === true) continue;
      const { from, to, when = "", as = "" } = located.edge;
      const key = `${from} ${to} ${when} ${as}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, located);
      else
        report(located.to, `The edge from \`${from}\` to \`${to}\` occurs twice`, "Remove one.", [
          { range: first.to, message: "first given here" },
        ]);
    }
  },
};
