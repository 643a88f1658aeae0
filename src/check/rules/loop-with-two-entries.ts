import { limits } from "../../model/limits.ts";
import { fieldRange } from "../../language/source.ts";
import { entryOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** A loop that is entered at several nodes: which of its edges start a new pass is then less obvious. */
export const loopWithTwoEntries: Rule = {
  code: "loop-with-two-entries",
  needs: "paths",
  check({ source, topology }, report) {
    // A flow says itself what belongs together: a group before a bracket is entered at all its nodes.
    if (entryOf(source.root, "flow") !== undefined) return;
    const graph = topology();
    const entry = graph.indexOf.get(source.blueprint.entry);
    for (const loop of graph.loops) {
      const entries = loop.filter((index) => {
        const outside = graph.predecessors[index]?.some(
          (from) => !graph.inOneLoop(from, index) && graph.reachable[from] === true,
        );
        return index === entry || outside === true;
      });
      const [first] = entries;
      if (first === undefined || entries.length < 2) continue;
      const names = entries.slice(0, limits.loopNodesNamed).map((index) => `\`${graph.ids[index]}\``);
      const message = `This loop can be entered at ${names.join(", ")}; edges back to these nodes start a new pass`;
      report(
        fieldRange(source, graph.ids[first] ?? ""),
        message,
        "`trammel show FILE --expanded` lists the loop edges.",
      );
    }
  },
};
