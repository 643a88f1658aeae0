import type { Reference, Template, TemplatePart } from "../model/template.ts";

/** A name, a `#2` of a repeated flow node, then dotted steps into the value. */
const inner = String.raw`[A-Za-z0-9_-]+(?:#\d+)?(?:\.[A-Za-z0-9_-]+)*`;
const pattern = new RegExp(String.raw`\{(\{)?(${inner})\}`, "g");

/**
 * Splits text into literal parts and references. Only `{identifier…}` is a reference: JSON, `${SHELL}`,
 * `{print $2}` stay as written, `{{name}` stands for the text `{name}`. An identifier that starts with a
 * digit or dash (`{3}`, `{010}`) counts only where `isNode` knows it, so that regular expressions keep
 * their repetition counts. After `mostReferences` the rest is text.
 */
export function parseTemplate(
  source: string,
  isNode: (name: string) => boolean = () => false,
  mostReferences = Infinity,
): Template {
  const parts: TemplatePart[] = [];
  let literal = "";
  let done = 0;
  let left = mostReferences;
  if (source.includes("{")) {
    for (const match of source.matchAll(pattern)) {
      if (left === 0) break;
      const start = match.index;
      const body = match[2] ?? "";
      const [name = ""] = body.split(".", 1);
      if (source[start - 1] === "$" || (/^[\d-]/.test(name) && !isNode(name))) continue;
      literal += source.slice(done, start);
      done = start + match[0].length;
      if (match[1] !== undefined) {
        literal += `{${body}}`;
        continue;
      }
      if (literal !== "") parts.push({ text: literal });
      literal = "";
      parts.push({ ref: reference(body, start, done) });
      left -= 1;
    }
  }
  literal += source.slice(done);
  if (literal !== "" || parts.length === 0) parts.push({ text: literal });
  return { source, parts };
}

const sources: ReadonlySet<string> = new Set(["task", "inputs", "item", "index"]);

function reference(body: string, start: number, end: number): Reference {
  const [head = "", ...path] = body.split(".");
  if (head === "inputs") return { source: "inputs", name: path[0] ?? "", path: path.slice(1), start, end };
  if (sources.has(head)) return { source: head as "task" | "item" | "index", name: "", path, start, end };
  return { source: "node", name: head, path, start, end };
}

export function references(template: Template): readonly Reference[] {
  return template.parts.flatMap((part) => ("ref" in part ? [part.ref] : []));
}

/** The nodes that a template refers to. */
export function nodesOf(template: Template): ReadonlySet<string> {
  return new Set(references(template).flatMap(({ source, name }) => (source === "node" ? [name] : [])));
}

/** The reference when the template is nothing else, so that its value keeps its type. */
export function soleReference(template: Template): Reference | undefined {
  const [part] = template.parts;
  return template.parts.length === 1 && part !== undefined && "ref" in part ? part.ref : undefined;
}
