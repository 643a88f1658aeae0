import { nodeReferences } from "../references.ts";
import type { Rule } from "../rule.ts";

/** A sandbox is used by a node that can start before the one that makes it. */
export const containerNotReady: Rule = {
  code: "container-not-ready",
  needs: "paths",
  check(context, report) {
    const { source, order } = context;
    for (const { ref, users, field, range } of nodeReferences(context)) {
      if (field !== "container" || source.drafts.get(ref.name)?.type !== "provision") continue;
      const user = users.find((id) => order().canStartWithout(ref.name, id));
      if (user === undefined) continue;
      const message = `Node \`${user}\` can start before its sandbox \`${ref.name}\` exists`;
      report(range(), message, `Let every way to \`${user}\` lead through \`${ref.name}\`.`);
    }
  },
};
