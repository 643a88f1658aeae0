import { quote } from "../../language/tree.ts";
import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/**
 * A call that `trammel.lock` does not hold to its content. Without a lock nothing is said: pinning is not used there.
 */
export const unpinnedCall: Rule = {
  code: "unpinned-call",
  needs: "document",
  check({ source, pins }, report) {
    if (pins === undefined) return;
    for (const [id, node] of source.drafts) {
      if (node.type !== "call" || node.blueprint === undefined || pins.has(node.blueprint)) continue;
      const message = `Call \`${id}\` takes ${quote(node.blueprint)} as it finds it: trammel.lock has no pin for it`;
      report(fieldRange(source, id, "blueprint"), message, "Look at what it does, then accept it: trammel pin FILE");
    }
  },
};
