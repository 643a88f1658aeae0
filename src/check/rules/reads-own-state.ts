import { commandsOf } from "../commands.ts";
import type { Rule } from "../rule.ts";

const ownState =
  /\bTRAMMEL_(?:HOME|TOKEN)\b|\.(?:local\/share|config)\/trammel\b|(?:^|[\s/"'=])\.trammel\/(?!blueprints)/;

/** A command that names Trammel's data folder, credentials or configuration. Hygiene, not a boundary. */
export const readsOwnState: Rule = {
  code: "reads-own-state",
  needs: "document",
  check({ source, within }, report) {
    for (const { node, field, text, scalar } of commandsOf(source)) {
      const match = ownState.exec(text);
      if (match === null) continue;
      const range = within(scalar, match.index, match.index + match[0].length);
      const where = node === undefined ? "" : ` of node \`${node}\``;
      report(
        range,
        `\`${field}\`${where} names Trammel's own data or credentials (\`${match[0].trim()}\`)`,
        "A blueprint gets what it needs as inputs and ports.",
      );
    }
  },
};
