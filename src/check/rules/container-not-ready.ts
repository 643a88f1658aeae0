import { fieldRange } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import type { Rule } from "../rule.ts";

/** A sandbox is used on a way that does not lead through the node that makes it. */
export const containerNotReady: Rule = {
  code: "container-not-ready",
  needs: "paths",
  check({ source, order, topology }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "exec" && node.type !== "checkout" && node.type !== "agent_sandbox") continue;
      const box = node.container && soleReference(node.container)?.name;
      if (box === undefined || id === source.blueprint.finally) continue;
      if (source.drafts.get(box)?.type !== "provision") continue;
      const { reachable, indexOf } = topology();
      if (reachable[indexOf.get(id) ?? -1] !== true || order().alwaysBefore(box, id)) continue;
      const message = `Node \`${id}\` can start before its sandbox \`${box}\` exists`;
      report(fieldRange(source, id, "container"), message, `Let every way to \`${id}\` lead through \`${box}\`.`);
    }
  },
};
