import type { Range } from "../../model/diagnostic.ts";
import { readDocument } from "../document.ts";
import { ScalarRanges } from "../scalar-range.ts";
import type { Source } from "../source.ts";
import { references } from "../template.ts";
import { entryOf } from "../tree.ts";
import type { Splice } from "./places.ts";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Every place that names a node: its key, edges, `entry`, `finally`, flows and references. */
export function renameNode(text: string, from: string, to: string): readonly Splice[] | { readonly problem: string } {
  let failed = false;
  const source = readDocument(
    text,
    ({ severity }) => {
      failed ||= severity === "error";
      return true;
    },
    new Map(),
  );
  if (source === null || failed) return { problem: "the document has errors; mend them first" };
  if (!namePattern.test(to)) return { problem: `\`${to}\` is no node name` };
  if (source.origins.has(to)) return { problem: `there is a node \`${to}\` already` };
  const key = entryOf(entryOf(source.root, "nodes")?.value, from)?.key;
  if (key === undefined) return { problem: `there is no node \`${from}\` under \`nodes\`` };
  if (source.origins.get(from)?.stock === from)
    return { problem: `\`${from}\` is a stock node: its name says what it does` };
  const places = new Map<number, Splice>();
  const isIt = (name: string): boolean => name === from || name.startsWith(`${from}#`);
  const put = (name: string, { start, end }: Range): void => {
    if (!isIt(name)) return;
    const quoted = /^["']/.test(text[start] ?? "") ? text[start] : "";
    places.set(start, { start, end, text: `${quoted}${to}${quoted}` });
  };
  put(from, key.range);
  for (const located of source.edges) {
    put(located.edge.from, located.from);
    put(located.edge.to, located.to);
  }
  if (source.entryAt !== undefined) put(source.blueprint.entry, source.entryAt);
  const last = entryOf(source.root, "finally")?.value;
  if (last !== undefined && source.blueprint.finally !== undefined) put(source.blueprint.finally, last.range);
  for (const splice of inTemplates(source, isIt, from, to)) places.set(splice.start, splice);
  return [...places.values()];
}

function inTemplates(
  { text, templates }: Source,
  isIt: (name: string) => boolean,
  from: string,
  to: string,
): readonly Splice[] {
  const ranges = new ScalarRanges(text);
  return templates.flatMap(({ template, scalar }) =>
    references(template).flatMap((ref) => {
      if (ref.source !== "node" || !isIt(ref.name)) return [];
      const { start, end } = ranges.within(scalar, ref.start + 1, ref.start + 1 + from.length);
      // What a stock node is told of the node before it is written nowhere.
      return text.slice(start, end) === from ? [{ start, end, text: to }] : [];
    }),
  );
}
