import type { Template } from "../../model/template.ts";
import type { Draft } from "../../language/draft.ts";
import { fieldRange, type Source } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import type { Rule } from "../rule.ts";

/** `container` is a reference to a provision node, in a map also to one around it, and nothing else. */
export const badContainer: Rule = {
  code: "bad-container",
  needs: "document",
  check({ source }, report) {
    const box = [...source.drafts.values()].find((node) => node.type === "provision")?.id;
    const hint =
      box === undefined ? 'Add a provision node and name it: container: "{box}"' : `Write container: "{${box}}"`;
    for (const [id, node] of source.drafts) {
      if (node.type !== "exec" && node.type !== "checkout" && node.type !== "agent_sandbox") continue;
      const fault = node.container && faultOf(node.container, source);
      if (fault !== undefined)
        report(fieldRange(source, id, "container"), `\`container\` of node \`${id}\` ${fault}`, hint);
    }
  },
};

function faultOf(container: Template, source: Source): string | undefined {
  const ref = soleReference(container);
  if (ref === undefined) return `must be a reference to a provision node, not \`${container.source}\``;
  if (ref.source === "inputs" || ref.source === "task")
    return `must name a provision node here: whoever starts this blueprint could name the sandbox of other work in \`${container.source}\``;
  if (ref.source !== "node" || ref.path.length > 0) return `must name a provision node, not \`${container.source}\``;
  const target = visible(source, ref.name);
  if (target === undefined || target.type === "provision") return undefined;
  const article = /^[aeiou]/.test(target.type) ? "an" : "a";
  return `names \`${ref.name}\`, ${article} ${target.type} node that makes no sandbox`;
}

/** The node of that name in a document, for the body of a map also around it. */
function visible({ drafts, outer }: Source, name: string): Draft | undefined {
  return drafts.get(name) ?? (outer === undefined ? undefined : visible(outer, name));
}
