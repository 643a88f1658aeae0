import type { Node, PluginNode, TypeSpec } from "../../model/blueprint.ts";
import { END } from "../../model/blueprint.ts";
import type { JsonObject } from "../../model/json.ts";
import { builtInTypes, isBuiltIn, nodeFields, pluginCommonFields } from "../fields/nodes.ts";
import type { BuiltInType } from "../fields/nodes.ts";
import { fits, wordsOf } from "../fields/schemas.ts";
import { oneOfWords } from "../nearest.ts";
import type { NodeOrigin } from "../source.ts";
import type { Located, LocatedMap, LocatedScalar } from "../tree.ts";
import { describe, entryOf, quote } from "../tree.ts";
import { capital, readFields, toJson, unknownField } from "./collections.ts";
import type { Reading } from "./reading.ts";

/** What the language has to know of a node type from outside. */
export interface NodeTypePlugin {
  readonly type: string;
  readonly class: "deterministic" | "agentic";
  readonly fields: Readonly<
    Record<string, { readonly type: TypeSpec; readonly required?: boolean; readonly description: string }>
  >;
}

export type Plugins = ReadonlyMap<string, NodeTypePlugin>;

const reservedNames: ReadonlySet<string> = new Set(["task", "inputs", "item", "index"]);
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The nodes of a document by name, before they are read. Bad names are reported and kept, so that edges to them are not reported again. */
export function nodeOrigins(map: LocatedMap, reading: Reading): Map<string, NodeOrigin> {
  const origins = new Map<string, NodeOrigin>();
  for (const { key, value } of map.entries) {
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
    reading.problem("invalid-name", key, message);
  }
}

/** Reads one node by the table of its type; undefined after it has reported why not. */
export function readNode(id: string, value: Located, reading: Reading, plugins: Plugins): Node | undefined {
  reading.node = id;
  reading.owner = `node \`${id}\``;
  if (value.kind !== "map") {
    const message = `Node \`${id}\` must be a map such as {type: script, run: npm test}, not ${describe(value)}`;
    reading.problem("wrong-type", value, message);
    return undefined;
  }
  const type = entryOf(value, "type")?.value;
  if (type === undefined) {
    const at = value.entries[0]?.key ?? value;
    reading.problem(
      "missing-field",
      at,
      `Node \`${id}\` has no \`type\``,
      `Add \`type:\` ${oneOfWords(builtInTypes)}.`,
    );
    return undefined;
  }
  if (type.kind !== "scalar" || type.source === "") return reading.wrongType(type, "type", "the name of a node type");
  const name = type.source;
  reading.owner = `${name} node \`${id}\``;
  reading.whoHas = typesWith;
  const node = ofType(id, name, type, value, reading, plugins);
  reading.whoHas = () => [];
  return node;
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
  value: LocatedMap,
  reading: Reading,
  plugins: Plugins,
): Node | undefined {
  if (isBuiltIn(name)) return builtIn(id, name, value, reading);
  const plugin = plugins.get(name);
  if (plugin !== undefined) return pluginNode(id, plugin, value, reading);
  const known = [...builtInTypes, ...plugins.keys()];
  const message = `Node \`${id}\` has the unknown type ${quote(name)}${reading.suggest(name, known)}`;
  reading.problem("unknown-type", type, message, `Types are ${oneOfWords(known)}, and the stock nodes.`);
  return undefined;
}

const besides = ["type", "next"];

function builtIn(id: string, type: BuiltInType, map: LocatedMap, reading: Reading): Node | undefined {
  switch (type) {
    case "tool": {
      const read = readFields(map, nodeFields.tool, reading, besides);
      return read && { id, type, ...read, args: read.args ?? {} };
    }
    case "human": {
      const read = readFields(map, nodeFields.human, reading, besides);
      return read && { id, type, ...read, mode: read.mode ?? "input" };
    }
    case "agent": {
      const read = readFields(map, nodeFields.agent, reading, besides);
      return read && { id, type, ...read };
    }
    case "script": {
      const read = readFields(map, nodeFields.script, reading, besides);
      return read && { id, type, ...read };
    }
    case "provision": {
      const read = readFields(map, nodeFields.provision, reading, besides);
      return read && { id, type, ...read };
    }
    case "checkout": {
      const read = readFields(map, nodeFields.checkout, reading, besides);
      return read && { id, type, ...read };
    }
    case "exec": {
      const read = readFields(map, nodeFields.exec, reading, besides);
      return read && { id, type, ...read };
    }
    case "agent_sandbox": {
      const read = readFields(map, nodeFields.agent_sandbox, reading, besides);
      return read && { id, type, ...read };
    }
    case "code": {
      const read = readFields(map, nodeFields.code, reading, besides);
      return read && { id, type, ...read };
    }
    case "wait": {
      const read = readFields(map, nodeFields.wait, reading, besides);
      if (read === undefined || (read.forMs === undefined) !== (read.until === undefined))
        return read && { id, type, ...read };
      if (read.forMs === undefined)
        reading.problem(
          "missing-field",
          map.entries[0]?.key ?? map,
          `${capital(reading.owner)} has neither \`for\` nor \`until\``,
          "Write for: 10m, or until: 2026-12-01T09:00:00Z.",
        );
      else
        reading.problem(
          "two-forms",
          entryOf(map, "until")?.key ?? map,
          `${capital(reading.owner)} has \`for\` and \`until\``,
          "Remove one of them.",
        );
      return undefined;
    }
  }
}

function pluginNode(id: string, plugin: NodeTypePlugin, map: LocatedMap, reading: Reading): PluginNode | undefined {
  const own = map.entries.filter((entry) => Object.hasOwn(plugin.fields, entry.key.source));
  const rest = { ...map, entries: map.entries.filter((entry) => !own.includes(entry)) };
  const common = readCommon(rest, plugin, reading);
  const fields: Record<string, JsonObject[string]> = {};
  let whole = common !== undefined;
  for (const { key, value } of own) {
    const spec = plugin.fields[key.source];
    const json = toJson(value);
    if (spec === undefined || fits(json, spec.type)) fields[key.source] = json;
    else {
      whole = false;
      reading.wrongType(value, key.source, wordsOf(spec.type));
    }
  }
  for (const [name, spec] of Object.entries(plugin.fields)) {
    if (spec.required !== true || own.some((entry) => entry.key.source === name)) continue;
    whole = false;
    reading.problem(
      "missing-field",
      map.entries[0]?.key ?? map,
      `${capital(reading.owner)} has no \`${name}\``,
      `Add \`${name}:\` (${spec.description}).`,
    );
  }
  if (!whole || common === undefined) return undefined;
  const agentic = plugin.class === "agentic" ? { agentic: true as const } : {};
  return { id, type: "plugin", plugin: plugin.type, ...agentic, ...common, fields };
}

function readCommon(map: LocatedMap, plugin: NodeTypePlugin, reading: Reading) {
  const known = {
    ...map,
    entries: map.entries.filter(
      ({ key }) => besides.includes(key.source) || Object.hasOwn(pluginCommonFields, key.source),
    ),
  };
  for (const entry of map.entries) {
    if (!known.entries.includes(entry))
      unknownField(entry, [...besides, ...Object.keys(plugin.fields), ...Object.keys(pluginCommonFields)], reading);
  }
  return readFields(known, pluginCommonFields, reading, besides);
}
