import { classOf } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import { isRefused } from "../../language/draft.ts";
import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** A loop that only the default number of steps ends: no agentic node, no cap, no limit in it. */
export const loopWithoutBound: Rule = {
  code: "loop-without-bound",
  needs: "paths",
  check({ source, topology }, report) {
    if (source.blueprint.limits.steps !== undefined || source.refused.has("limits")) return;
    const graph = topology();
    for (const loop of graph.loops) {
      const ids = loop.flatMap((index) => graph.ids[index] ?? []);
      const bounded = ids.some((id) => {
        const node = source.drafts.get(id);
        return (
          node === undefined ||
          node.cap !== undefined ||
          node.progress !== undefined ||
          isRefused(node, "cap") ||
          isRefused(node, "progress") ||
          classOf(node) === "agentic" ||
          classOf(node) === "human"
        );
      });
      const [first] = ids;
      if (bounded || first === undefined || graph.reachable[loop[0] ?? -1] !== true) continue;
      const shown = ids
        .slice(0, limits.loopNodesNamed)
        .map((id) => `\`${id}\``)
        .join(", ");
      const message = `The loop of ${shown}${ids.length > limits.loopNodesNamed ? ", …" : ""} has no bound of its own; the default of ${limits.stepsWithLoopDefault} steps ends it`;
      report(fieldRange(source, first), message, "Add `cap:` to a node of the loop, or `limits: {steps: …}`.");
    }
  },
};
