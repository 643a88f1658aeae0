import { END } from "../../model/edge.ts";
import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** A script whose failure goes the same way as its success: often an oversight. */
export const onlyUnconditional: Rule = {
  code: "only-unconditional",
  needs: "edges",
  check({ source, topology }, report) {
    const graph = topology();
    for (const [id, node] of source.drafts) {
      if (node.type !== "script") continue;
      const edges = graph.outgoing[graph.indexOf.get(id) ?? -1] ?? [];
      const next = edges.find((edge) => edge.when === undefined);
      if (
        next === undefined ||
        next.to === END ||
        edges.some((edge) => edge.when !== undefined && edge.when !== "error")
      )
        continue;
      const hint = `To stop at a failure: {from: ${id}, when: success, to: ${next.to}}`;
      report(fieldRange(source, id), `The run goes on at \`${next.to}\` whether \`${id}\` succeeds or fails`, hint);
    }
  },
};
