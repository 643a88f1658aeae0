import { wordsOf } from "../../language/fields/schemas.ts";
import { typeWords } from "../../language/ports.ts";
import { nodesOf, soleReference } from "../../language/template.ts";
import { entryOf, quote, valueOf } from "../../language/tree.ts";
import { typeSchema } from "../../language/types.ts";
import { typeOf } from "../schemas.ts";
import type { Rule, RuleContext, RuleReport } from "../rule.ts";

/**
 * A value that is known to be of one type stands where another is needed: the list
 * of a map, and outputs, which are taken as they are.
 */
export const wrongType: Rule = {
  code: "wrong-type",
  needs: "document",
  check(context, report) {
    checkLists(context, report);
    checkOutputs(context, report);
  },
};

function checkLists({ source }: RuleContext, report: RuleReport): void {
  for (const [id, node] of source.drafts) {
    if (node.type !== "map" || node.over === undefined) continue;
    const type = typeOf(node.over, source);
    const at = valueOf(source.origins.get(id)?.value, "over");
    // Text may hold a list as JSON.
    if (type === undefined || type === "array" || type === "string" || at === undefined) continue;
    report(
      at.range,
      `Map \`${id}\` needs a list, and ${quote(node.over.source)} is ${typeWords(type)}`,
      "Let `over` refer to a list.",
    );
  }
}

function checkOutputs({ source }: RuleContext, report: RuleReport): void {
  for (const [name, { type, from }] of Object.entries(source.blueprint.outputs)) {
    const at = entryOf(valueOf(source.root, "outputs", name), "from")?.value;
    if (at === undefined) continue;
    if ((type.kind === "enum" || type.kind === "schema") && nodesOf(from).size > 1) {
      const nodes = [...nodesOf(from)].map((id) => `\`${id}\``).join(" and ");
      const message = `Output \`${name}\` is ${wordsOf(type)}, and made of what ${nodes} say, so that none of them can be held to it`;
      report(at.range, message, "Let one node say the whole of it, and refer to that.");
      continue;
    }
    const wanted = typeSchema(type)["type"];
    const found = typeOf(from, source);
    if (typeof wanted !== "string" || found === undefined || found === wanted) continue;
    if (wanted === "number" && found === "integer") continue;
    const ref = soleReference(from);
    const isSaid = found === "string" && ref?.source === "node" && ref.path.length === 0;
    const hint = isSaid
      ? `Give node \`${ref.name}\`, which says text, an \`output\` of ${wordsOf(type)}.`
      : "An output is what it refers to, as it is: change the type of one of the two.";
    report(at.range, `Output \`${name}\` is ${wordsOf(type)}, and ${quote(from.source)} is ${typeWords(found)}`, hint);
  }
}
