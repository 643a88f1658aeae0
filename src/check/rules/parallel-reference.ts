import { nodeReferences } from "../references.ts";
import type { Rule } from "../rule.ts";

/** A node reads another that can run at the same time: what it gets would depend on which is faster. */
export const parallelReference: Rule = {
  code: "parallel-reference",
  needs: "paths",
  check(context, report) {
    for (const { ref, written, users, range } of nodeReferences(context)) {
      const order = context.order();
      const user = users.find((id) => order.canRunTogether(ref.name, id));
      if (user === undefined) continue;
      const message = `\`${written}\`: node \`${ref.name}\` can run at the same time as node \`${user}\`, so its value may come too late`;
      report(range(), message, `Let \`${user}\` follow \`${ref.name}\`, or read it where both have ended.`);
    }
  },
};
