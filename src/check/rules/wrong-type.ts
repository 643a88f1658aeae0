import type { Template } from "../../model/template.ts";
import type { JsonObject } from "../../model/json.ts";
import { wordsOf } from "../../language/fields/schemas.ts";
import { schemaAt } from "../../language/ports.ts";
import type { Source } from "../../language/source.ts";
import { soleReference } from "../../language/template.ts";
import { entryOf, quote, valueOf } from "../../language/tree.ts";
import { typeSchema } from "../../language/types.ts";
import type { Rule, RuleContext, RuleReport } from "../rule.ts";

/** A value that is known to be of one type stands where another is needed: the list of a map, and outputs, which are taken as they are. */
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
      `Map \`${id}\` needs a list, and ${quote(node.over.source)} is ${named(type)}`,
      "Let `over` refer to a list.",
    );
  }
}

function checkOutputs({ source }: RuleContext, report: RuleReport): void {
  for (const [name, { type, from }] of Object.entries(source.blueprint.outputs)) {
    const wanted = typeSchema(type)["type"];
    const found = typeOf(from, source);
    if (typeof wanted !== "string" || found === undefined || found === wanted) continue;
    if (wanted === "number" && found === "integer") continue;
    const at = entryOf(valueOf(source.root, "outputs", name), "from")?.value;
    if (at === undefined) continue;
    const hint = "An output is what it refers to, as it is: change the type of one of the two.";
    report(at.range, `Output \`${name}\` is ${wordsOf(type)}, and ${quote(from.source)} is ${named(found)}`, hint);
  }
}

/** The one JSON type that a template gives; undefined where it may be of several. Text around a reference makes it text. */
function typeOf(template: Template, source: Source): string | undefined {
  const ref = soleReference(template);
  if (ref === undefined) return "string";
  if (ref.source === "task") return "string";
  if (ref.source === "index") return "integer";
  if (ref.source === "item") return undefined;
  const schema = ref.source === "inputs" ? inputSchema(ref.name, source) : nodeSchema(ref.name, source);
  const type = schema && schemaAt(schema, ref.path)?.["type"];
  return typeof type === "string" ? type : undefined;
}

function inputSchema(name: string, source: Source): JsonObject | undefined {
  if (source.outer !== undefined) return inputSchema(name, source.outer);
  const { inputs } = source.blueprint;
  const spec = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return spec && typeSchema(spec.type);
}

function nodeSchema(name: string, source: Source): JsonObject | undefined {
  const node = source.drafts.get(name);
  if (node === undefined) return source.outer && nodeSchema(name, source.outer);
  return node.output?.as === "schema" ? node.output.schema : undefined;
}

function named(type: string): string {
  switch (type) {
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "string":
      return "text";
    default:
      return `\`${type}\``;
  }
}
