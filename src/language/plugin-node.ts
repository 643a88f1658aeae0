import type { ToolArguments } from "../model/node.ts";
import type { TypeSpec } from "../model/type-spec.ts";
import type { Json } from "../model/json.ts";
import type { NodeReading } from "./draft.ts";
import { argument } from "./fields/arguments.ts";
import { common } from "./fields/common.ts";
import { fits, wordsOf } from "./fields/schemas.ts";
import { toJson } from "./read/collections.ts";
import { capital, readPart, type Part } from "./read/table.ts";
import type { Reading } from "./read/reading.ts";
import type { Located, LocatedMap } from "./tree.ts";

/** What the language has to know of a node type from outside. */
export interface NodeTypePlugin {
  readonly type: string;
  readonly class: "deterministic" | "agentic";
  readonly fields: Readonly<
    Record<
      string,
      {
        readonly type: TypeSpec;
        readonly required?: boolean;
        readonly references?: boolean;
        readonly description: string;
      }
    >
  >;
}

export type Plugins = ReadonlyMap<string, NodeTypePlugin>;

/** Reads a node of a type from outside by the fields that it declares. */
export function pluginNode(id: string, plugin: NodeTypePlugin, map: LocatedMap, reading: Reading): NodeReading {
  const given = map.entries.filter((entry) => Object.hasOwn(plugin.fields, entry.key.source));
  const part = readCommon(map, plugin, reading);
  const refused = new Set(part.whole ? [] : part.refused);
  const fields: (readonly [string, Json])[] = [];
  const templates: (readonly [string, ToolArguments[string]])[] = [];
  let whole = part.whole;
  for (const { key, value } of given) {
    const spec = plugin.fields[key.source];
    const json = toJson(value);
    const filled = spec?.references === true ? withReferences(value, reading, key.source) : undefined;
    if (filled !== undefined) templates.push([key.source, filled]);
    // What a reference comes to is held to the type when it is known.
    if (spec === undefined || filled !== undefined || fits(json, spec.type)) fields.push([key.source, json]);
    else {
      whole = false;
      reading.wrongType(value, key.source, wordsOf(spec.type));
    }
  }
  for (const [name, spec] of Object.entries(plugin.fields)) {
    if (spec.required !== true || given.some((entry) => entry.key.source === name)) continue;
    whole = false;
    if (refused.has(name)) continue;
    reading.problem(
      "missing-field",
      map.entries[0]?.key ?? map,
      `${capital(reading.owner)} has no \`${name}\``,
      `Add \`${name}:\` (${spec.description}).`,
    );
  }
  const agentic = plugin.class === "agentic" ? { agentic: true as const } : {};
  const own = {
    fields: Object.fromEntries(fields),
    ...(templates.length === 0 ? {} : { templates: Object.fromEntries(templates) }),
  };
  const node = { id, type: "plugin", plugin: plugin.type, ...agentic, ...part.values, ...own } as const;
  return whole ? { whole, node } : { whole, node: { ...node, refused } };
}

/** The common fields; every other key has to be one of the plug-in. */
function readCommon(map: LocatedMap, plugin: NodeTypePlugin, reading: Reading): Part<typeof common> {
  const own = Object.keys(plugin.fields);
  const rest = { ...map, entries: map.entries.filter(({ key }) => !own.includes(key.source)) };
  return readPart(rest, common, reading, ["type", "next", ...own]);
}

/** The value with its references, or undefined where it has none. */
function withReferences(value: Located, reading: Reading, field: string): ToolArguments[string] | undefined {
  const before = reading.referencesLeft;
  const read = argument.read(value, reading, field);
  return reading.referencesLeft === before ? undefined : read;
}
