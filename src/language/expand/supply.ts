import type { LocatedFlow } from "./flow-nodes.ts";
import { isBuiltIn } from "../fields/nodes.ts";
import type { Plugins } from "../plugin-node.ts";
import type { NodeOrigin } from "../source.ts";
import type { LocatedMap } from "../tree.ts";
import { entryOf } from "../tree.ts";
import { overlaid, stockNodes, stockTree, withEnv, withMore } from "../stock/set.ts";

/**
 * Lays definitions over the stock nodes they name: by `type: lint`, or by the name of the node when there is no `type`.
 */
export function overlayStock(origins: Map<string, NodeOrigin>, plugins: Plugins): void {
  for (const [id, { key, value }] of origins) {
    if (value.kind !== "map") continue;
    const type = entryOf(value, "type")?.value;
    const name = type === undefined ? id : type.kind === "scalar" ? type.source : "";
    if (isBuiltIn(name) || plugins.has(name) || !stockNodes().has(name)) continue;
    const stock = stockTree(name, type?.range ?? key.range);
    if (stock !== undefined) origins.set(id, { key, value: overlaid(stock, value), stock: name });
  }
}

/**
 * Gives a flow the stock nodes that it names without a definition. A stock agent in a bracket is told what the checks
 * before it said, unless the document has a prompt of its own for it; a stock pull request tells what the agents before
 * it read outside of their context, and what works with Git is told the branch that was made before it.
 */
export function supplyStock(flow: LocatedFlow, origins: Map<string, NodeOrigin>): void {
  const { scalar, steps, rangeOf } = flow;
  const given = new Map(origins);
  for (const [index, step] of steps.entries()) {
    const checks = step.bracket ? (steps[index - 1]?.nodes ?? []) : [];
    for (const node of step.nodes) {
      const range = rangeOf(node);
      const own = given.get(node.name);
      const name = own === undefined ? node.name : own.stock;
      const plain = name === undefined ? undefined : stockTree(name, range);
      if (name === undefined || plain === undefined) continue;
      const definition = own?.value.kind === "map" ? own.value : plain;
      const value = hasStock("prompt", definition, plain)
        ? withMore(definition, "prompt", checks.map(said).join(""))
        : hasStock("run", definition, plain)
          ? told(name, definition, nodesBefore(index, flow), origins)
          : definition;
      origins.set(node.id, { key: own?.key ?? { ...scalar, range }, value, stock: name });
    }
  }
}

function said({ id }: { readonly id: string }): string {
  return `\nWhat \`${id}\` said last:\n\n{${id}}\n`;
}

function drift(id: string): string {
  return `{${id}.drift}`;
}

const onBranch: ReadonlySet<string> = new Set(["git-commit", "git-push", "create-pr"]);

/** A stock script with what it needs to know of the nodes before it. */
function told(
  name: string,
  definition: LocatedMap,
  before: readonly string[],
  origins: ReadonlyMap<string, NodeOrigin>,
): LocatedMap {
  const branch = before.findLast((id) => origins.get(id)?.stock === "git-branch");
  const placed =
    onBranch.has(name) && branch !== undefined ? withEnv(definition, "MADE_BRANCH", `{${branch}.stdout}`) : definition;
  if (name !== "create-pr") return placed;
  return withEnv(placed, "DRIFT", agentsIn(before, origins).map(drift).join(""));
}

/** Those of earlier steps. */
function nodesBefore(index: number, { steps }: LocatedFlow): readonly string[] {
  return steps.slice(0, index).flatMap(({ nodes }) => nodes.map(({ id }) => id));
}

/** Those that are done by agents. */
function agentsIn(ids: readonly string[], origins: ReadonlyMap<string, NodeOrigin>): readonly string[] {
  return ids.filter((id) => {
    const type = entryOf(origins.get(id)?.value, "type")?.value;
    if (type?.kind !== "scalar") return false;
    return type.source === "agent" || stockNodes().get(type.source)?.node.type === "agent";
  });
}

function hasStock(field: "prompt" | "run", definition: LocatedMap, stock: LocatedMap): boolean {
  const [own, plain] = [entryOf(definition, field)?.value, entryOf(stock, field)?.value];
  return own?.kind === "scalar" && plain?.kind === "scalar" && own.source === plain.source;
}
