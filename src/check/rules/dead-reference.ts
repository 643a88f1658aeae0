import { nodeReferences } from "../references.ts";
import type { Rule } from "../rule.ts";

/** A node reads another that can never have run before it: the value is always empty. */
export const deadReference: Rule = {
  code: "dead-reference",
  needs: "paths",
  check(context, report) {
    for (const { ref, written, users, field, range } of nodeReferences(context)) {
      const order = context.order();
      const [user] = users;
      // Of a sandbox, container-not-ready says more; of a list, value-not-ready.
      if (field === "container" || field === "over" || user === undefined) continue;
      if (users.some((id) => order.canPrecede(ref.name, id))) continue;
      const why = ref.name === user ? "it runs once" : `\`${ref.name}\` never runs before \`${user}\``;
      const message = `\`${written}\` is always empty in node \`${user}\`: ${why}`;
      report(range(), message, `Add a way from \`${ref.name}\` to \`${user}\`, or remove it.`);
    }
  },
};
