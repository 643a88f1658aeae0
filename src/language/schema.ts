import { common } from "./fields/common.ts";
import { documentFields } from "./fields/document.ts";
import { builtInTypes, isBuiltIn, nodeFields } from "./fields/nodes.ts";
import type { Fields } from "./read/table.ts";
import { objectSchema, propertiesOf } from "./read/table.ts";
import type { JsonSchema } from "./read/reading.ts";
import { name } from "./read/scalars.ts";
import type { NodeTypePlugin } from "./plugin-node.ts";
import { stockNodes } from "./stock/set.ts";
import { typeSchema } from "./types.ts";

const names = { anyOf: [name.schema, { type: "array", items: name.schema, minItems: 1 }] };

const edge: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["from", "to"],
  properties: {
    from: { ...names, description: "Node or nodes that the path comes from." },
    to: { ...names, description: "Node or nodes that it leads to; END in any case closes it." },
    when: {
      ...names,
      description: "success, failure, error, or an option of the node; absent means success and failure.",
    },
    as: { enum: ["failed"], description: "On an edge to END: the path ends as a failure." },
  },
};

/** What a map does with each item, where that is more than a node. */
const body: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["nodes"],
  properties: {
    entry: { ...name.schema, description: "Node it begins with; may be left out when one has no incoming edge." },
    nodes: {
      type: "object",
      additionalProperties: { $ref: "#/definitions/node" },
      description: "Nodes by name; none of them named like one outside.",
    },
    edges: { type: ["array", "null"], items: { $ref: "#/definitions/edge" }, description: "What follows what." },
  },
};

const next: JsonSchema = {
  anyOf: [...names.anyOf, { type: "object", additionalProperties: names }],
  description: "What follows: a node, several, or a map from outcome to either. Instead of edges in `edges`.",
};

/**
 * JSON Schema (draft-07) of a document, from the same tables that check it, with the node types of plug-ins where they
 * are given. Editors complete and explain keys with it.
 */
export function documentSchema(plugins: readonly NodeTypePlugin[] = []): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Trammel blueprint",
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: {
      blueprint: { const: 2, description: "Version of the format." },
      ...propertiesOf(documentFields),
      entry: {
        ...name.schema,
        description: "Node the run begins with; may be left out when one node has no incoming edge.",
      },
      nodes: {
        type: "object",
        propertyNames: { pattern: "^(?![Ee][Nn][Dd]$)(?!(task|inputs|item|index)$)[A-Za-z0-9_-]{1,64}(#[0-9]{1,6})?$" },
        properties: Object.fromEntries([...stockNodes().keys()].map((stock) => [stock, stockEntry(stock)])),
        additionalProperties: { $ref: "#/definitions/node" },
        description: "Nodes by name.",
      },
      edges: { type: ["array", "null"], items: { $ref: "#/definitions/edge" }, description: "What follows what." },
      flow: {
        type: "string",
        minLength: 1,
        description: "The graph in one line: a -> [b] -> (c & d). Instead of entry and edges.",
      },
    },
    anyOf: [{ required: ["nodes"] }, { required: ["flow"] }],
    definitions: { edge, node: anyNode(plugins), body, ...nodeDefinitions(plugins), ...overlayDefinitions() },
  };
}

/** A node by its type, so that an editor complains about the field and not about every type that it is not. */
function anyNode(plugins: readonly NodeTypePlugin[]): JsonSchema {
  const types = [...builtInTypes, ...plugins.map(({ type }) => type), ...stockNodes().keys()];
  return {
    type: "object",
    required: ["type"],
    properties: {
      type: {
        enum: types,
        description: "What the node is, or the stock node it is made from.",
      },
    },
    allOf: types.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      then: { $ref: `#/definitions/${overlayOf(type) ?? type}` },
    })),
  };
}

/** Definition of what may be laid over a stock node; undefined for other types. */
function overlayOf(stock: string): string | undefined {
  const node = stockNodes().get(stock)?.node;
  return node && `stock-${node.type}`;
}

/** Under the name of a stock node: a whole definition, or what is laid over it. */
function stockEntry(stock: string): JsonSchema {
  return {
    if: { required: ["type"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    then: { $ref: "#/definitions/node" },
    else: { $ref: `#/definitions/${overlayOf(stock)}` },
    description: describe(stock),
  };
}

function describe(stock: string): string {
  const node = stockNodes().get(stock)?.node;
  if (node === undefined) return "";
  const what = node.note ?? (node.type === "script" ? `Runs \`${node.run.trim()}\`.` : "");
  return node.type === "agent" ? `${node.title}, an agent; cap ${node.cap}.` : what;
}

/** The fields of the types that stock nodes are of, none of them required. */
function overlayDefinitions(): Readonly<Record<string, JsonSchema>> {
  const types = [...new Set([...stockNodes().values()].map(({ node }) => node.type))].filter(isBuiltIn);
  const type = { enum: [...stockNodes().keys()], description: "The stock node it is made from." };
  return Object.fromEntries(
    types.map((each) => [
      `stock-${each}`,
      { type: "object", additionalProperties: false, properties: { type, ...propertiesOf(nodeFields[each]), next } },
    ]),
  );
}

function nodeDefinitions(plugins: readonly NodeTypePlugin[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries([
    ...builtInTypes.filter(isBuiltIn).map((type) => [type, nodeSchema(type, nodeFields[type])] as const),
    ...plugins.map((plugin) => [plugin.type, pluginSchema(plugin)] as const),
  ]);
}

function pluginSchema({ type, fields }: NodeTypePlugin): JsonSchema {
  const { required = [], properties, ...rest } = nodeSchema(type, common);
  const own = Object.entries(fields);
  const needed = own.flatMap(([name, field]) => (field.required === true ? [name] : []));
  return {
    ...rest,
    required: [...(required as readonly string[]), ...needed],
    properties: {
      ...(properties as JsonSchema),
      ...Object.fromEntries(
        own.map(([name, { type: of, references, description }]) => {
          const filled = references === true ? { anyOf: [typeSchema(of), { type: "string" }] } : typeSchema(of);
          return [name, { ...filled, description }] as const;
        }),
      ),
    },
  };
}

function nodeSchema(type: string, fields: Fields): JsonSchema {
  const { required = [], properties, ...rest } = objectSchema(fields);
  return {
    ...rest,
    required: ["type", ...(required as readonly string[])],
    properties: { type: { const: type, description: "What the node is." }, ...(properties as JsonSchema), next },
  };
}
