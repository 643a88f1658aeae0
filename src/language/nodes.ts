import { END } from "../model/edge.ts";
import type { NodeReading } from "./draft.ts";
import { builtInTypes, isBuiltIn, nodeFields } from "./fields/nodes.ts";
import { defaultChoosers } from "./fields/decide.ts";
import type { BuiltInType } from "./fields/nodes.ts";
import { didYouMean, nearest, oneOfWords } from "./nearest.ts";
import { adviceOn } from "./elsewhere.ts";
import { placeOf, typeHint } from "./node-hints.ts";
import { withOutdented } from "./outdented.ts";
import { pluginNode, type Plugins } from "./plugin-node.ts";
import type { NodeOrigin } from "./source.ts";
import type { Located, LocatedEntry, LocatedMap, LocatedScalar } from "./tree.ts";
import { describe, entryOf, quote } from "./tree.ts";
import { type Fields, type Read, readPart, unknownField } from "./read/table.ts";
import { saysWhat, saysWhen, saysWhich, saysWhom } from "./read/forms.ts";
import type { Reading } from "./read/reading.ts";

const reservedNames: ReadonlySet<string> = new Set(["task", "inputs", "item", "index"]);
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The nodes of a document by name, before they are read. Bad names are reported and
 * kept, so that edges to them are not reported again.
 */
export function nodeOrigins(map: LocatedMap, reading: Reading): Map<string, NodeOrigin> {
  const origins = new Map<string, NodeOrigin>();
  for (const { key, value } of withOutdented(map, reading)) {
    checkName(key, reading, origins);
    origins.set(key.source, { key, value });
  }
  return origins;
}

/** `test#2` is how an expanded flow names the second use of `test`. */
function isRepeat(name: string, origins: ReadonlyMap<string, unknown>): boolean {
  const base = /^([A-Za-z0-9_-]{1,64})#\d{1,6}$/.exec(name)?.[1];
  return base !== undefined && origins.has(base);
}

function checkName(key: LocatedScalar, reading: Reading, origins: ReadonlyMap<string, unknown>): void {
  const name = key.source;
  if (name.toUpperCase() === END) {
    reading.graphIsWhole = false;
    reading.problem(
      "reserved-name",
      key,
      `A node cannot be named ${quote(name)}: in any case it stands for the end of a path`,
      "Rename the node.",
    );
  } else if (reservedNames.has(name)) {
    const hint = `Rename the node: \`{${name}}\` could not be told apart from it.`;
    reading.problem(
      "reserved-name",
      key,
      `A node cannot be named ${quote(name)}: it names something else in references`,
      hint,
    );
  } else if (!namePattern.test(name) && !isRepeat(name, origins)) {
    const message = `${quote(name)} is no node name: letters, digits, _ and - are allowed, at most 64`;
    const mended = name
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 64);
    reading.problem("invalid-name", key, message, mended === "" ? undefined : `Write ${mended}:`);
  }
}

/** Reads one node by the table of its type, as far as it can be read; undefined when its type is not known. */
export function readNode(id: string, value: Located, reading: Reading, plugins: Plugins): NodeReading | undefined {
  reading.node = id;
  reading.owner = `node \`${id}\``;
  if (value.kind !== "map") {
    const message = `Node \`${id}\` must be a map such as {type: script, run: npm test}, not ${describe(value)}`;
    reading.graphIsWhole = false;
    reading.problem("wrong-type", value, message, placeOf(id));
    return undefined;
  }
  const entry = entryOf(value, "type") ?? misspeltType(value, reading);
  if (entry === undefined) return withoutType(id, value, reading);
  const type = entry.value;
  if (type.kind !== "scalar" || type.source === "") return reading.wrongType(type, "type", "the name of a node type");
  const isMisspelt = entry.key.source !== "type";
  const map = isMisspelt ? { ...value, entries: value.entries.filter((each) => each !== entry) } : value;
  reading.owner = `${type.source} node \`${id}\``;
  reading.whoHas = typesWith;
  const read = ofType(id, type.source, type, map, reading, plugins);
  reading.whoHas = () => [];
  return isMisspelt ? read && { whole: false, node: read.node } : read;
}

/**
 * It may have been meant to be laid over a stock node: then it stands on no path, and that is no problem of its own.
 */
function withoutType(id: string, value: LocatedMap, reading: Reading): undefined {
  const stock = reading.nearest(id, reading.stockNames());
  if (stock !== undefined) reading.graphIsWhole = false;
  const meant = stock === undefined ? "" : `; did you mean the stock node \`${stock}\`?`;
  const add = typeHint(value);
  const hint =
    stock === undefined ? `A${add}` : `To change the stock node, write \`${stock}\`; for one of your own, a${add}`;
  reading.problem("missing-field", value.entries[0]?.key ?? value, `Node \`${id}\` has no \`type\`${meant}`, hint);
}

/** `typ: script` says what the type is, when nothing else does. */
function misspeltType(map: LocatedMap, reading: Reading): LocatedEntry | undefined {
  for (const entry of map.entries) {
    const key = entry.key.source;
    const isField = besides.includes(key) || builtInTypes.some((type) => isBuiltIn(type) && key in nodeFields[type]);
    if (isField || nearest(key, ["type"]) === undefined) continue;
    if (unknownField(entry, ["type"], reading) !== undefined) return entry;
  }
  return undefined;
}

/** Node types with a field of this name, when they are few enough to be worth telling. */
function typesWith(field: string): readonly string[] {
  const types = builtInTypes.filter((type) => isBuiltIn(type) && Object.hasOwn(nodeFields[type], field));
  return types.length <= 3 ? types : [];
}

function ofType(
  id: string,
  name: string,
  type: Located,
  map: LocatedMap,
  reading: Reading,
  plugins: Plugins,
): NodeReading | undefined {
  if (isBuiltIn(name)) return builtIn(id, name, map, reading);
  const plugin = plugins.get(name);
  if (plugin !== undefined) return pluginNode(id, plugin, map, reading);
  const known = [...builtInTypes, ...plugins.keys()];
  const meant = reading.nearest(name, known);
  const message = `Node \`${id}\` has the unknown type ${quote(name)}${didYouMean(meant)}`;
  const hint = meant === undefined ? adviceOn(name, "node")?.hint : undefined;
  reading.problem("unknown-type", type, message, hint ?? `Types are ${oneOfWords(known)}, and the stock nodes.`);
  if (meant === undefined || !(isTypo(name, meant) || hasOnly(map, meant, plugins))) return undefined;
  // What else is wrong with it can be said now.
  reading.owner = `${meant} node \`${id}\``;
  const read = ofType(id, meant, type, map, reading, plugins);
  return read && { whole: false, node: read.node };
}

const besides = ["type", "next"];

function isTypo(name: string, meant: string): boolean {
  return nearest(name, [meant]) === meant;
}

/** A word of another system may mean a type of ours: only where its fields say so is it read as one. */
function hasOnly(map: LocatedMap, type: string, plugins: Plugins): boolean {
  const fields: object = isBuiltIn(type) ? nodeFields[type] : (plugins.get(type)?.fields ?? {});
  return map.entries.every(({ key }) => besides.includes(key.source) || Object.hasOwn(fields, key.source));
}

function builtIn(id: string, type: BuiltInType, map: LocatedMap, reading: Reading): NodeReading {
  switch (type) {
    case "tool": {
      const read = byTable({ id, type }, nodeFields.tool, map, reading);
      return read.whole ? { whole: true, node: { ...read.node, args: read.node.args ?? {} } } : read;
    }
    case "human": {
      const read = byTable({ id, type }, nodeFields.human, map, reading);
      if (read.whole) return { whole: true, node: { ...read.node, mode: read.node.mode ?? "input" } };
      return read.node.refused.has("mode")
        ? read
        : { whole: false, node: { ...read.node, mode: read.node.mode ?? "input" } };
    }
    case "agent":
      return byTable({ id, type }, nodeFields.agent, map, reading);
    case "script":
      return byTable({ id, type }, nodeFields.script, map, reading);
    case "provision":
      return byTable({ id, type }, nodeFields.provision, map, reading);
    case "checkout":
      return byTable({ id, type }, nodeFields.checkout, map, reading);
    case "exec":
      return byTable({ id, type }, nodeFields.exec, map, reading);
    case "agent_sandbox":
      return byTable({ id, type }, nodeFields.agent_sandbox, map, reading);
    case "code":
      return byTable({ id, type }, nodeFields.code, map, reading);
    case "decide":
    case "call":
    case "map":
    case "wait":
      return byForm(id, type, map, reading);
  }
}

/** Types with a rule on how their fields go together. */
function byForm(id: string, type: "decide" | "call" | "map" | "wait", map: LocatedMap, reading: Reading): NodeReading {
  switch (type) {
    case "decide": {
      const read = byTable({ id, type }, nodeFields.decide, map, reading);
      if (!read.whole && read.node.refused.has("by")) return read;
      const by = read.node.by ?? defaultChoosers;
      if (!read.whole) return { whole: false, node: { ...read.node, by } };
      const node = { ...read.node, by };
      return { whole: saysWhich(node, map, reading), node };
    }
    case "call": {
      const read = byTable({ id, type }, nodeFields.call, map, reading);
      return read.whole && !saysWhom(read.node, map, reading) ? { whole: false, node: read.node } : read;
    }
    case "map": {
      const read = byTable({ id, type }, nodeFields.map, map, reading);
      return read.whole && !saysWhat(read.node, map, reading) ? { whole: false, node: read.node } : read;
    }
    case "wait": {
      const read = byTable({ id, type }, nodeFields.wait, map, reading);
      return read.whole && !saysWhen(read.node, map, reading) ? { whole: false, node: read.node } : read;
    }
  }
}

/** What is said of a node by the table of its type: all of it, or what could be read and what could not. */
type Told<H, F extends Fields> =
  | { readonly whole: true; readonly node: H & Read<F> }
  | { readonly whole: false; readonly node: H & Partial<Read<F>> & { readonly refused: ReadonlySet<string> } };

function byTable<H extends object, F extends Fields>(
  head: H,
  fields: F,
  map: LocatedMap,
  reading: Reading,
): Told<H, F> {
  const part = readPart(map, fields, reading, besides);
  return part.whole
    ? { whole: true, node: { ...head, ...part.values } }
    : { whole: false, node: { ...head, ...part.values, refused: part.refused } };
}
