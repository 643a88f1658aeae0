import { limits } from "../../model/limits.ts";
import { fieldRange } from "../../language/source.ts";
import { oneOfWords } from "../../language/nearest.ts";
import type { Located } from "../../language/tree.ts";
import { valueOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** Tool nodes and the tool lists of agents name tools that exist, where the tools are known. */
export const unknownTool: Rule = {
  code: "unknown-tool",
  needs: "document",
  check({ source, tools, suggest }, report) {
    if (tools === undefined) return;
    const beginnings = [...tools].flatMap((name) => (name.endsWith("*") ? [name.slice(0, -1)] : []));
    const isKnown = (name: string): boolean => tools.has(name) || beginnings.some((each) => name.startsWith(each));
    const hint = `Tools are ${oneOfWords([...tools].sort(), limits.toolsNamed)}.`;
    const offered = (list: Located | undefined, by: string): void => {
      if (list?.kind !== "list") return;
      for (const item of list.items) {
        if (item.kind !== "scalar" || isKnown(item.source)) continue;
        const near = suggest(item.source, tools);
        report(item.range, `${by} offers the tool \`${item.source}\`, which does not exist${near}`, hint);
      }
    };
    offered(valueOf(source.root, "agent", "tools"), "`agent`");
    for (const [id, node] of source.drafts) {
      if (node.type === "agent" || node.type === "agent_sandbox")
        offered(valueOf(source.origins.get(id)?.value, "tools"), `Node \`${id}\``);
      if (node.type !== "tool" || node.tool === undefined || isKnown(node.tool) || node.tool.includes("{")) continue;
      const near = suggest(node.tool, tools);
      report(
        fieldRange(source, id, "tool"),
        `Node \`${id}\` uses the tool \`${node.tool}\`, which does not exist${near}`,
        hint,
      );
    }
  },
};
