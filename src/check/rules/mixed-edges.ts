import type { LocatedEdge } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** Out of one node, all edges are unconditional or all are conditional; `when: error` may stand beside either. */
export const mixedEdges: Rule = {
  code: "mixed-edges",
  needs: "document",
  check({ source }, report) {
    const first = new Map<string, LocatedEdge>();
    const told = new Set<string>();
    for (const located of source.edges) {
      const { from, when } = located.edge;
      if (when === "error" || located.broken === true) continue;
      const other = first.get(from);
      if (other === undefined) first.set(from, located);
      else if ((other.edge.when === undefined) !== (when === undefined) && !told.has(from)) {
        told.add(from);
        const bare = when === undefined ? located : other;
        const message = `Node \`${from}\` has an unconditional edge to \`${bare.edge.to}\` beside conditional ones`;
        const hint = `Say when it fires: {from: ${from}, when: success, to: ${bare.edge.to}}`;
        report(bare.to, message, hint, [
          { range: (when === undefined ? other : located).to, message: "a conditional edge" },
        ]);
      }
    }
  },
};
