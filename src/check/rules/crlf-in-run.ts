import { commandsOf } from "../commands.ts";
import type { Rule } from "../rule.ts";

/**
 * A shell takes a carriage return for part of a word. Line ends of the file
 * itself do no harm: YAML reads them as line feeds.
 */
export const crlfInRun: Rule = {
  code: "crlf-in-run",
  needs: "document",
  check({ source }, report) {
    for (const { node, field, language, text, scalar } of commandsOf(source)) {
      if (language !== "shell" || !text.includes("\r")) continue;
      report(
        scalar.range,
        `\`${field}\` of node \`${node}\` holds carriage returns (CRLF), which a shell takes for part of a word`,
        "Write \\n instead of \\r\\n.",
      );
    }
  },
};
