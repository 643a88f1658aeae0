import type { Blueprint, Node } from "../../model/blueprint.ts";
import { changeNodes } from "../change-nodes.ts";
import { stockNodes } from "./set.ts";

/**
 * Gives stock scripts the commands of a configuration, by stock name. A command that the document itself gives stays. Not part of the
 * content hash: a run is bound to the configuration by the binding hash.
 */
export function bindCommands(blueprint: Blueprint, commands: Readonly<Record<string, string>>): Blueprint {
  const bound = (node: Node): Node => {
    const command = node.stock === undefined || !Object.hasOwn(commands, node.stock) ? undefined : commands[node.stock];
    const stock = node.stock === undefined ? undefined : stockNodes().get(node.stock)?.node;
    if (command === undefined || node.type !== "script" || stock?.type !== "script" || node.run !== stock.run)
      return node;
    return { ...node, run: command };
  };
  if (Object.keys(commands).length === 0) return blueprint;
  return changeNodes(blueprint, bound);
}
