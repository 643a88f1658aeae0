import type { Json } from "../../model/json.ts";
import { toJson } from "../read/collections.ts";
import type { Located } from "../tree.ts";
import { entryOf } from "../tree.ts";
import { readYaml } from "../yaml.ts";
import type { Splice } from "./places.ts";
import { addEntry, addItem, replaceItem, replaceValue } from "./places.ts";
import { renameNode } from "./rename.ts";

/** Keys of maps and indices of lists, from the top of the document. */
export type Path = readonly (string | number)[];

/** One change of a document. */
export type Change =
  /** Sets a field; adds it at the end of its map, or after the field `after`, when it is not there. */
  | { readonly kind: "set"; readonly path: Path; readonly value: Json; readonly after?: string }
  /** Adds an item to a list; makes the list when it is not there. */
  | { readonly kind: "append"; readonly path: Path; readonly value: Json }
  /** Gives a node another name, in everything that names it. */
  | { readonly kind: "rename"; readonly node: string; readonly to: string };

export type Edited = { readonly text: string } | { readonly problem: string };

/**
 * Changes a document in its text: comments, order of keys and layout of everything else stay as they are. Where that
 * cannot be done, as with what stands behind an alias, the answer is a problem in one sentence and nothing is changed.
 * Whether the result is a sound blueprint is for `check` to say.
 */
export function edit(text: string, changes: readonly Change[]): Edited {
  let edited = text;
  for (const change of changes) {
    const result = apply(edited, change);
    if ("problem" in result) return result;
    edited = result.text;
  }
  return { text: edited };
}

function apply(text: string, change: Change): Edited {
  const tree = parse(text);
  if (tree === null) return { problem: "the document is not valid YAML" };
  if (change.kind === "rename") {
    const splices = renameNode(text, change.node, change.to);
    return "problem" in splices ? splices : { text: spliced(text, splices) };
  }
  const splice = change.kind === "set" ? setAt(text, tree, change) : appendAt(text, tree, change);
  if ("problem" in splice) return splice;
  const result = spliced(text, [splice]);
  const after = parse(result);
  const wanted = wantedOf(toJson(tree), change);
  if (after === null || JSON.stringify(toJson(after)) !== JSON.stringify(wanted))
    return { problem: `${shown(change.path)} cannot be changed in place: it stands behind an alias or a tag` };
  return { text: result };
}

function parse(text: string): Located | null {
  let failed = false;
  const tree = readYaml(text, (problem) => {
    failed ||= problem.severity === "error";
    return true;
  });
  return failed ? null : tree;
}

type Set = Extract<Change, { kind: "set" }>;
type Append = Extract<Change, { kind: "append" }>;

function setAt(text: string, tree: Located, { path, value, after }: Set): Splice | { readonly problem: string } {
  const key = path.at(-1);
  const parent = at(tree, path.slice(0, -1));
  if (key === undefined || parent === undefined) return { problem: `there is no ${shown(path.slice(0, -1))}` };
  if (typeof key === "number") {
    const item = parent.kind === "list" ? parent.items[key] : undefined;
    return item === undefined ? { problem: `there is no ${shown(path)}` } : replaceItem(text, item, value);
  }
  if (parent.kind !== "map") return { problem: `${shown(path.slice(0, -1))} is no map` };
  const entry = entryOf(parent, key);
  return entry === undefined
    ? addEntry(text, parent, key, value, after)
    : replaceValue(text, entry, parent.flow, value);
}

function appendAt(text: string, tree: Located, { path, value }: Append): Splice | { readonly problem: string } {
  const list = at(tree, path);
  if (list?.kind === "list") return addItem(text, list, value);
  if (list !== undefined && !(list.kind === "scalar" && list.value === null))
    return { problem: `${shown(path)} is no list` };
  return setAt(text, tree, { kind: "set", path, value: [value] });
}

function at(tree: Located, path: Path): Located | undefined {
  let node: Located | undefined = tree;
  for (const step of path) {
    if (typeof step === "number") node = node?.kind === "list" ? node.items[step] : undefined;
    else node = entryOf(node, step)?.value;
  }
  return node;
}

function shown(path: Path): string {
  return path.length === 0 ? "document" : `\`${path.join(".")}\``;
}

/** What the document shall say afterwards. */
function wantedOf(json: Json, change: Set | Append): Json {
  const [step, ...rest] = change.path;
  if (step === undefined) {
    if (change.kind === "set") return change.value;
    return Array.isArray(json) ? [...json, change.value] : [change.value];
  }
  const inner = { ...change, path: rest };
  if (typeof step === "number") {
    return Array.isArray(json) ? json.map((item, index) => (index === step ? wantedOf(item, inner) : item)) : json;
  }
  const entries = typeof json === "object" && json !== null ? Object.entries(json) : [];
  if (entries.some(([key]) => key === step))
    return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? wantedOf(item, inner) : item]));
  const place = entries.findIndex(([key]) => change.kind === "set" && rest.length === 0 && key === change.after);
  return Object.fromEntries(
    entries.toSpliced(place < 0 ? entries.length : place + 1, 0, [step, wantedOf(null, inner)]),
  );
}

function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: put } of [...splices].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + put;
    done = end;
  }
  return result + text.slice(done);
}
