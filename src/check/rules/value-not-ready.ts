import { fieldRange } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import type { Rule } from "../rule.ts";

/** A value that does not exist yet is empty in text and null elsewhere; the list of a map can be neither. */
export const valueNotReady: Rule = {
  code: "value-not-ready",
  needs: "paths",
  check({ source, order, topology }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "map" || id === source.blueprint.finally) continue;
      const list = node.over && soleReference(node.over);
      if (list === undefined || list.source !== "node" || !source.origins.has(list.name)) continue;
      const { reachable, indexOf } = topology();
      if (reachable[indexOf.get(id) ?? -1] !== true || order().alwaysBefore(list.name, id)) continue;
      // Of nodes that can run at the same time, parallel-reference says more.
      if (order().canRunTogether(list.name, id)) continue;
      const message = `Map \`${id}\` can start before \`${list.name}\` has said what its items are`;
      report(fieldRange(source, id, "over"), message, `Let every way to \`${id}\` lead through \`${list.name}\`.`);
    }
  },
};
