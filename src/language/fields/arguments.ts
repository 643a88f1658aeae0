import type { ToolArgument, ToolArguments } from "../../model/node.ts";
import type { Json } from "../../model/json.ts";
import { mapOf } from "../read/collections.ts";
import type { Reader, Reading } from "../read/reading.ts";
import { templateOf } from "../read/scalars.ts";
import type { Located } from "../tree.ts";

/** Values whose strings are templates. */
export const argument: Reader<ToolArgument> = {
  expected: "a value",
  schema: {},
  read: (node, reading, field) => argumentOf(node, reading, field),
  write: writeArgument,
};

function argumentOf(node: Located, reading: Reading, field: string): ToolArgument | undefined {
  if (node.kind === "list") {
    const items = node.items.map((item) => argumentOf(item, reading, field));
    return items.includes(undefined) ? undefined : { kind: "list", items: items.filter((item) => item !== undefined) };
  }
  if (node.kind === "map") {
    const entries = args.read(node, reading, field);
    return entries && { kind: "map", entries };
  }
  if (typeof node.value === "string") return { kind: "template", template: templateOf(node, reading, field) };
  return { kind: "literal", value: node.value };
}

function writeArgument(value: ToolArgument): Json {
  switch (value.kind) {
    case "template":
      return value.template.source;
    case "literal":
      return value.value;
    case "list":
      return value.items.map(writeArgument);
    case "map":
      return args.write(value.entries);
  }
}

/** Arguments by name. */
export const args: Reader<ToolArguments> = mapOf(argument);
