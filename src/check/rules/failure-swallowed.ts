import { END } from "../../model/edge.ts";
import { neverHas } from "./dead-route.ts";
import type { Rule } from "../rule.ts";

/**
 * A failure edge leads through another node to an end without `as: failed`, and there is no way back to the node that
 * failed: the run would be reported as succeeded.
 */
export const failureSwallowed: Rule = {
  code: "failure-swallowed",
  needs: "edges",
  check({ source, topology }, report) {
    const failing = source.edges.filter(({ edge }) => edge.when === "failure" && edge.to !== END);
    if (failing.length === 0) return;
    const graph = topology();
    const ends = graph.outgoing.flatMap((edges, index) => {
      const quiet =
        edges.length === 0 ||
        edges.some(
          (edge) => edge.to === END && edge.as === undefined && edge.when !== "failure" && edge.when !== "error",
        );
      return quiet ? [index] : [];
    });
    const reachesEnd = graph.into(ends);
    for (const { edge, to } of failing) {
      const node = source.drafts.get(edge.from);
      if (node !== undefined && neverHas(node, "failure") !== undefined) continue;
      const from = graph.indexOf.get(edge.from);
      const target = graph.indexOf.get(edge.to);
      if (from === undefined || target === undefined || reachesEnd[target] !== true) continue;
      if (graph.inOneLoop(from, target)) continue;
      const message = `When \`${edge.from}\` fails, the run goes on at \`${edge.to}\` and can end as succeeded`;
      report(to, message, `If it should end as failed, close that path with {from: …, to: END, as: failed}.`);
    }
  },
};
