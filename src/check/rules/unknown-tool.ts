import { fieldRange } from "../../language/source.ts";
import { oneOfWords } from "../../language/nearest.ts";
import { entryOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** Tool nodes and the tool lists of agents name tools that exist, where the tools are known. */
export const unknownTool: Rule = {
  code: "unknown-tool",
  needs: "document",
  check({ source, tools, suggest }, report) {
    if (tools === undefined) return;
    const hint = `Tools are ${oneOfWords([...tools].sort(), 30)}.`;
    for (const [id, node] of source.drafts) {
      if (node.type === "tool" && node.tool !== undefined && !tools.has(node.tool) && !node.tool.includes("{")) {
        report(
          fieldRange(source, id, "tool"),
          `Node \`${id}\` uses the tool \`${node.tool}\`, which does not exist${suggest(node.tool, tools)}`,
          hint,
        );
      }
      if (node.type !== "agent" && node.type !== "agent_sandbox") continue;
      const list = entryOf(source.origins.get(id)?.value, "tools")?.value;
      if (list?.kind !== "list") continue;
      for (const item of list.items) {
        if (item.kind !== "scalar" || tools.has(item.source)) continue;
        report(
          item.range,
          `Node \`${id}\` offers the tool \`${item.source}\`, which does not exist${suggest(item.source, tools)}`,
          hint,
        );
      }
    }
  },
};
