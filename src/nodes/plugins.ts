import type { PluginNode } from "../model/blueprint.ts";
import type { Performer } from "../ports/performer.ts";
import type { NodePlugin, Plugin } from "../ports/plugin.ts";

export type PluginNodes =
  | { readonly nodes: ReadonlyMap<string, NodePlugin> }
  | { readonly problems: readonly string[] };

/** Node types that plug-ins bring, by the name in `type:`. Two of one name, or one of a built-in, are problems. */
export function collectPlugins(plugins: readonly Plugin[], builtIn: ReadonlySet<string>): PluginNodes {
  const nodes = new Map<string, NodePlugin>();
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const plugin of plugins) {
    for (const node of plugin.nodes) {
      const owner = owners.get(node.type);
      if (builtIn.has(node.type))
        problems.push(`plug-in ${plugin.name}: the node type ${node.type} is built in; give yours another name`);
      else if (owner !== undefined)
        problems.push(`plug-in ${plugin.name}: the node type ${node.type} is already that of plug-in ${owner}`);
      nodes.set(node.type, node);
      owners.set(node.type, plugin.name);
    }
  }
  return problems.length > 0 ? { problems } : { nodes };
}

/** One performer for all of them: which one a node means is in the node. */
export function pluginPerformer(nodes: ReadonlyMap<string, NodePlugin>): Performer<PluginNode> {
  const unknown = ({ plugin }: PluginNode): string => `no plug-in brings the node type "${plugin}"`;
  return {
    type: "plugin",
    class: "deterministic",
    missing(node, can) {
      const found = nodes.get(node.plugin);
      if (found === undefined) return `node "${node.id}": ${unknown(node)}`;
      return found.missing?.(node, can) ?? null;
    },
    perform(context) {
      const found = nodes.get(context.node.plugin);
      if (found !== undefined) return found.perform(context);
      const reason = { code: "could_not_start", text: unknown(context.node) } as const;
      return Promise.resolve({ outcome: "error", reason, beforeEffect: true });
    },
  };
}
