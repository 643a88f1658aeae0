import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** Nodes that no path from the entry leads to. */
export const unreachableNode: Rule = {
  code: "unreachable-node",
  needs: "paths",
  check({ source, topology }, report) {
    const { ids, reachable } = topology();
    for (const [index, id] of ids.entries()) {
      if (reachable[index] === true) continue;
      report(
        fieldRange(source, id),
        `No path leads from the entry \`${source.blueprint.entry}\` to node \`${id}\``,
        `Add an edge to \`${id}\`, or remove the node.`,
      );
    }
  },
};
