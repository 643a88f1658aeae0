import { isRefused } from "../../language/draft.ts";
import { fieldRange } from "../../language/source.ts";
import { isImageOfThisMachine } from "../../model/sandbox.ts";
import type { Rule } from "../rule.ts";

/** The default depends on who makes the box, which is easily overlooked. */
export const defaultNetwork: Rule = {
  code: "default-network",
  needs: "document",
  check({ source }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "provision" || node.network !== undefined || isRefused(node, "network")) continue;
      if (node.image === undefined) continue;
      const isLocal = isImageOfThisMachine(node.image);
      const what = isLocal ? "no network" : "the normal network of the container engine";
      const other = isLocal ? "host" : "none";
      const hint = `To say so: \`network: ${isLocal ? "none" : "bridge"}\`; otherwise \`network: ${other}\``;
      report(fieldRange(source, id, "image"), `The sandbox \`${id}\` has ${what}`, hint);
    }
  },
};
