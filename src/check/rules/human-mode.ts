import { isRefused } from "../../language/draft.ts";
import { fieldRange } from "../../language/source.ts";
import type { Rule } from "../rule.ts";

/** Options belong to a choice, fields to a form. */
export const humanMode: Rule = {
  code: "human-mode",
  needs: "document",
  check({ source }, report) {
    for (const [id, node] of source.drafts) {
      if (node.type !== "human" || node.mode === undefined) continue;
      const { mode, options = [], fields } = node;
      if (mode === "choice" && options.length === 0 && !isRefused(node, "options"))
        report(
          fieldRange(source, id, "mode"),
          `Gate \`${id}\` asks for a choice but has no options`,
          "Add options: [ship, hold]",
        );
      if (mode === "form" && fields === undefined && !isRefused(node, "fields"))
        report(
          fieldRange(source, id, "mode"),
          `Gate \`${id}\` is a form but has no fields`,
          "Add fields: {reason: string}",
        );
      if (mode !== "choice" && options.length > 0)
        report(
          fieldRange(source, id, "options"),
          `Gate \`${id}\` has options, but its mode is ${mode}`,
          "Set `mode: choice`.",
        );
      if (mode !== "form" && fields !== undefined)
        report(
          fieldRange(source, id, "fields"),
          `Gate \`${id}\` has fields, but its mode is ${mode}`,
          "Set `mode: form`.",
        );
    }
  },
};
