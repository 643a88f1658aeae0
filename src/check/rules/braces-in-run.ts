import { commandsOf, hintFor, referencesIn } from "../commands.ts";
import type { Rule } from "../rule.ts";

/** A bare node name in braces may well be shell or code; it stays as written. */
export const bracesInRun: Rule = {
  code: "braces-in-run",
  needs: "document",
  check({ source, within }, report) {
    for (const command of commandsOf(source)) {
      if (command.language === "name" || command.filled === true) continue;
      for (const ref of referencesIn(command, source.origins)) {
        if (ref.source !== "node" || ref.path.length > 0) continue;
        const written = command.text.slice(ref.start, ref.end);
        const message = `\`${written}\` in \`${command.field}\` of node \`${command.node}\` stays as it is; the output of \`${ref.name}\` is not put in`;
        report(within(command.scalar, ref.start, ref.end), message, hintFor(command, ref, written));
      }
    }
  },
};
