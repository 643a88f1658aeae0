import type { Template } from "../../model/template.ts";
import type { Draft } from "../../language/draft.ts";
import { fieldRange } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import type { Rule } from "../rule.ts";

/** `container` is a reference to a provision node and nothing else. */
export const badContainer: Rule = {
  code: "bad-container",
  needs: "document",
  check({ source }, report) {
    const box = [...source.drafts.values()].find((node) => node.type === "provision")?.id;
    const hint =
      box === undefined ? 'Add a provision node and name it: container: "{box}"' : `Write container: "{${box}}"`;
    for (const [id, node] of source.drafts) {
      if (node.type !== "exec" && node.type !== "checkout" && node.type !== "agent_sandbox") continue;
      const fault = node.container && faultOf(node.container, source.drafts);
      if (fault !== undefined)
        report(fieldRange(source, id, "container"), `\`container\` of node \`${id}\` ${fault}`, hint);
    }
  },
};

function faultOf(container: Template, nodes: ReadonlyMap<string, Draft>): string | undefined {
  const ref = soleReference(container);
  if (ref === undefined) return `must be a reference to a provision node, not \`${container.source}\``;
  if (ref.source !== "node" || ref.path.length > 0) return `must name a provision node, not \`${container.source}\``;
  const target = nodes.get(ref.name);
  if (target === undefined || target.type === "provision") return undefined;
  return `names \`${ref.name}\`, a ${target.type} node that makes no sandbox`;
}
