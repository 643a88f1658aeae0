import { fieldRange } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import type { Rule } from "../rule.ts";

/** `container` is a reference to a provision node and nothing else. */
export const badContainer: Rule = {
  code: "bad-container",
  needs: "document",
  check({ source }, report) {
    const boxes = [...source.blueprint.nodes.values()].flatMap((node) => (node.type === "provision" ? [node.id] : []));
    const hint =
      boxes.length === 0 ? 'Add a provision node and name it: container: "{box}"' : `Write container: "{${boxes[0]}}"`;
    for (const [id, node] of source.blueprint.nodes) {
      if (node.type !== "exec" && node.type !== "checkout" && node.type !== "agent_sandbox") continue;
      const ref = soleReference(node.container);
      const range = fieldRange(source, id, "container");
      if (ref === undefined)
        report(
          range,
          `\`container\` of node \`${id}\` must be a reference to a provision node, not \`${node.container.source}\``,
          hint,
        );
      else if (ref.source !== "node" || ref.path.length > 0)
        report(
          range,
          `\`container\` of node \`${id}\` must name a provision node, not \`${node.container.source}\``,
          hint,
        );
      else {
        const target = source.blueprint.nodes.get(ref.name);
        if (target !== undefined && target.type !== "provision")
          report(
            range,
            `\`container\` of node \`${id}\` names \`${ref.name}\`, a ${target.type} node that makes no sandbox`,
            hint,
          );
      }
    }
  },
};
