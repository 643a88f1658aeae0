import { fieldRange } from "../../language/source.ts";
import { isImageOfThisMachine } from "../../model/sandbox.ts";
import type { Rule } from "../rule.ts";

/** Boxes that are made from this machine know two networks; those of a container engine are its own affair. */
export const badNetwork: Rule = {
  code: "bad-network",
  needs: "document",
  check({ source, suggest }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "provision" || node.network === undefined) continue;
      if (node.image === undefined || !isImageOfThisMachine(node.image)) continue;
      if (node.network === "none" || node.network === "host") continue;
      const near = suggest(node.network, ["none", "host"]);
      const message = `A sandbox of \`image: ${node.image}\` cannot have the network \`${node.network}\`${near}`;
      report(
        fieldRange(source, id, "network"),
        message,
        "It is none or host; an image of a container engine has more.",
      );
    }
  },
};
