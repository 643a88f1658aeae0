import { fieldRange } from "../../language/source.ts";
import { stockNodes } from "../../language/stock/set.ts";
import type { Rule } from "../rule.ts";

/** `cap` may lower the cap of a stock node, never raise it. */
export const capAboveStock: Rule = {
  code: "cap-above-stock",
  needs: "document",
  check({ source }, report) {
    for (const [id, node] of source.drafts) {
      const most = node.stock === undefined ? undefined : stockNodes().get(node.stock)?.node.cap;
      if (most === undefined || node.cap === undefined || node.cap <= most) continue;
      const message = `\`cap: ${node.cap}\` of node \`${id}\` is above the cap of the stock node \`${node.stock}\`, which is ${most}`;
      report(
        fieldRange(source, id, "cap"),
        message,
        "A stock cap can be lowered, not raised; define a node of your own for more.",
      );
    }
  },
};
