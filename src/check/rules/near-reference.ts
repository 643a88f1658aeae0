import type { Rule } from "../rule.ts";

const mustache = /\{\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}\}/g;
const spaced =
  /(?<![{$])\{[ \t]+([A-Za-z_][\w-]*(?:\.[\w-]+)*)[ \t]*\}|(?<![{$])\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)[ \t]+\}/g;

/** `{{task}}` and `{ task }` are text here; in other template languages they are references. */
export const nearReference: Rule = {
  code: "near-reference",
  needs: "document",
  check({ source, within }, report) {
    const known = (name: string): boolean => {
      const head = name.split(".", 1)[0] ?? "";
      return head === "task" || head === "inputs" || source.origins.has(head);
    };
    for (const { template, scalar, inside } of source.templates) {
      if (inside === true) continue;
      const text = template.source;
      for (const match of [...text.matchAll(mustache), ...text.matchAll(spaced)]) {
        const name = match[1] ?? match[2] ?? "";
        if (!known(name)) continue;
        const prints = match[0].startsWith("{{") ? `prints \`{${name}}}\`` : "is text";
        const range = within(scalar, match.index, match.index + match[0].length);
        report(range, `\`${match[0]}\` ${prints}, not the value`, `For the value write {${name}}.`);
      }
    }
  },
};
