import { commandsOf, hintFor, referencesIn } from "../commands.ts";
import type { Rule } from "../rule.ts";

/** Data never becomes executable text: commands, code and names of things to execute take no references. */
export const referenceInRun: Rule = {
  code: "reference-in-run",
  needs: "document",
  check({ source, within }, report) {
    for (const command of commandsOf(source)) {
      for (const ref of referencesIn(command, source.origins)) {
        const isLeft = command.language !== "name" && command.filled !== true;
        if (ref.source === "node" && ref.path.length === 0 && isLeft) continue;
        const range = within(command.scalar, ref.start, ref.end);
        const written = command.text.slice(ref.start, ref.end);
        const what =
          command.language === "name"
            ? "takes no references"
            : "is never filled in, so that data cannot become executable text";
        report(
          range,
          `\`${written}\`: \`${command.field}\`${command.node === undefined ? "" : ` of node \`${command.node}\``} ${what}`,
          hintFor(command, ref, written),
        );
      }
    }
  },
};
