import type { Source } from "../../language/source.ts";
import { parseTemplate, references } from "../../language/template.ts";
import { plainTextsOf } from "../plain-texts.ts";
import type { Rule, RuleContext, RuleReport } from "../rule.ts";

const mustache = /\$?\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;
const dollar = /\$\{(task|[A-Za-z_][\w-]*(?:\.[\w-]+)+)\}/g;
const spaced =
  /(?<![{$])\{[ \t]+([A-Za-z_][\w-]*(?:\.[\w-]+)*)[ \t]*\}|(?<![{$])\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)[ \t]+\}/g;

/**
 * What looks like a reference and is text: `{{task}}`, `${{ task }}`, `${task}` and `{ task }`, which other template
 * languages fill in, and `{task}` in a field that takes none.
 */
export const nearReference: Rule = {
  code: "near-reference",
  needs: "document",
  check(context, report) {
    checkTemplates(context, report);
    checkPlainTexts(context, report);
  },
};

function checkTemplates({ source, within }: RuleContext, report: RuleReport): void {
  const known = (name: string, field: string): boolean => {
    const head = name.split(".", 1)[0] ?? "";
    return (
      head === "task" ||
      head === "inputs" ||
      (name.startsWith("secrets.") && field.startsWith("env.")) ||
      source.origins.has(head)
    );
  };
  for (const { template, scalar, field, inside } of source.templates) {
    if (inside === true) continue;
    const text = template.source;
    for (const match of [mustache, dollar, spaced].flatMap((pattern) => [...text.matchAll(pattern)])) {
      const name = match[1] ?? match[2] ?? "";
      if (!known(name, field)) continue;
      const prints = match[0] === `{{${name}}}` ? `prints \`{${name}}}\`` : "is text";
      const range = within(scalar, match.index, match.index + match[0].length);
      const hint = name.startsWith("secrets.")
        ? `A node is given the secrets that it names: secrets: [${name.slice("secrets.".length)}]`
        : `For the value write {${name}}.`;
      report(range, `\`${match[0]}\` ${prints}, not the value`, hint);
    }
  }
}

function checkPlainTexts({ source, within }: RuleContext, report: RuleReport): void {
  const isNode = (name: string): boolean => hasNode(source, name);
  for (const { field, scalar } of plainTextsOf(source)) {
    const text = String(scalar.value);
    if (!text.includes("{")) continue;
    for (const ref of references(parseTemplate(text, isNode))) {
      const inMap = ref.source === "item" || ref.source === "index";
      if (inMap ? source.outer === undefined : ref.source === "node" && !isNode(ref.name)) continue;
      const message = `\`${text.slice(ref.start, ref.end)}\` stays as it is: ${field} takes no reference`;
      report(within(scalar, ref.start, ref.end), message, "Write the text itself: it is the same in every run.");
    }
  }
}

/** Also around the body of a map. */
function hasNode(source: Source, name: string): boolean {
  return source.origins.has(name) || (source.outer !== undefined && hasNode(source.outer, name));
}
