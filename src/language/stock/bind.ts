import type { Blueprint } from "../../model/blueprint.ts";
import type { Node } from "../../model/node.ts";
import { changeNodes } from "../change-nodes.ts";
import { stockNodes } from "./set.ts";

export interface StockCommands {
  readonly commands: Readonly<Record<string, string>>;
  readonly autofix: Readonly<Record<string, string>>;
}

/**
 * Gives stock scripts the commands of a configuration, by stock name, and what mends what they find. What the document
 * itself gives stays; of a command that it gives, nothing in the configuration says how to mend what it finds. Not part
 * of the content hash: a run is bound to the configuration by the binding hash.
 */
export function bindCommands(blueprint: Blueprint, { commands, autofix }: StockCommands): Blueprint {
  const bound = (node: Node): Node => {
    const stock = node.stock === undefined ? undefined : stockNodes().get(node.stock)?.node;
    if (node.stock === undefined || node.type !== "script" || stock?.type !== "script" || node.run !== stock.run)
      return node;
    const mend = node.autofix ?? own(autofix, node.stock);
    const run = own(commands, node.stock) ?? node.run;
    return { ...node, run, ...(mend === undefined ? {} : { autofix: mend }) };
  };
  if (Object.keys(commands).length === 0 && Object.keys(autofix).length === 0) return blueprint;
  return changeNodes(blueprint, bound);
}

function own(commands: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
