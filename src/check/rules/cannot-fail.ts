import { commandsOf } from "../commands.ts";
import type { Rule } from "../rule.ts";

const alwaysTrue = /(?:\|\||;)\s*(?:true|:|exit\s+0)\s*$/;

/** `npm test || true` succeeds whatever happens. */
export const cannotFail: Rule = {
  code: "cannot-fail",
  needs: "document",
  check({ source, within }, report) {
    for (const { node, field, text, scalar } of commandsOf(source)) {
      if (field !== "run") continue;
      const match = alwaysTrue.exec(text.slice(-200));
      if (match === null) continue;
      const start = Math.max(0, text.length - 200) + match.index;
      if (text.slice(0, start).trim() === "" || (match[0].startsWith(";") && !isCheck(source.edges, node))) continue;
      const message = `\`run\` of node \`${node}\` ends with \`${match[0].trim()}\`, so it can never fail`;
      report(within(scalar, start, text.trimEnd().length), message, "Remove it and route the failure with an edge.");
    }
  },
};

/** Whether anyone asks how it ended. */
function isCheck(
  edges: readonly { readonly edge: { readonly from: string; readonly when?: string } }[],
  node: string | undefined,
): boolean {
  return edges.some(({ edge }) => edge.from === node && edge.when === "failure");
}
