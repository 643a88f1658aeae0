import type { ToolArgument, ToolArguments } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import type { Values } from "../ports/performer.ts";

/** Arguments with every template in them filled in; one that is a single reference keeps the type of its value. */
export async function argumentsOf(args: ToolArguments, values: Values): Promise<Readonly<Record<string, Json>>> {
  const filled: (readonly [string, Json])[] = [];
  for (const [name, argument] of Object.entries(args)) filled.push([name, await fill(argument, values)]);
  return Object.fromEntries(filled);
}

async function fill(argument: ToolArgument, values: Values): Promise<Json> {
  switch (argument.kind) {
    case "template":
      return values.value(argument.template);
    case "literal":
      return argument.value;
    case "list":
      return Promise.all(argument.items.map((item) => fill(item, values)));
    case "map":
      return argumentsOf(argument.entries, values);
  }
}
