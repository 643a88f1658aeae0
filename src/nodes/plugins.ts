import type { OutputFormat, PluginNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Json } from "../model/json.ts";
import type { ActionContext, Capabilities, Performer } from "../ports/performer.ts";
import type { NodePlugin, Plugin } from "../ports/plugin.ts";
import { textOfJson } from "../runtime/values.ts";
import { argumentsOf } from "./arguments.ts";
import { invalid, saidValue, schemaFault, typeFault, withFittingPorts } from "../runtime/validation/said-value.ts";

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
  // Loaded at the first result: an import costs as much as a whole step.
  let asResult: ((type: string, answered: unknown) => NodeResult) | undefined;
  const unknown = ({ plugin }: PluginNode): string => `no plug-in brings the node type "${plugin}"`;
  return {
    type: "plugin",
    class: "deterministic",
    untimed: true,
    missing(node, can) {
      const found = nodes.get(node.plugin);
      if (found === undefined) return `node "${node.id}": ${unknown(node)}`;
      return found.missing?.(node, can) ?? null;
    },
    async perform(context) {
      const { node, can } = context;
      const found = nodes.get(node.plugin);
      if (found === undefined)
        return { outcome: "error", reason: { code: "could_not_start", text: unknown(node) }, beforeEffect: true };
      const { templates } = node;
      const given = templates === undefined ? context : await filled(found, context, templates);
      if ("problem" in given)
        return { outcome: "failure", reason: { code: "output_invalid", text: given.problem }, beforeEffect: true };
      const answered = await found.perform(given);
      asResult ??= (await import("./plugin-result.ts")).pluginResult;
      const answer = asResult(node.plugin, answered);
      const result = found.class === "agentic" ? withAgent(node.plugin, answer) : answer;
      if (node.output === undefined) return result;
      return keepsOutput(result, node.output, can);
    },
  };
}

/** What was at work is named, so that no budget takes for nothing what it has not said that it used. */
function withAgent(type: string, result: NodeResult): NodeResult {
  if (result.agent !== undefined || result.beforeEffect === true) return result;
  return { ...result, agent: { provider: type } };
}

/** The node as it is given: its fields with their references filled in, each of the type that the plug-in declares. */
async function filled(
  plugin: NodePlugin,
  context: ActionContext<PluginNode>,
  templates: NonNullable<PluginNode["templates"]>,
): Promise<ActionContext<PluginNode> | { readonly problem: string }> {
  const { node, values } = context;
  const fields: Record<string, Json> = { ...node.fields };
  for (const [name, given] of Object.entries(await argumentsOf(templates, values))) {
    const type = plugin.fields[name]?.type ?? { kind: "json" };
    const value = type.kind === "string" ? textOfJson(given) : given;
    const problem = await typeFault(value, type);
    if (problem !== null) return { problem: `\`${name}\` of ${node.id} does not fit: ${problem}` };
    fields[name] = value;
  }
  return withNode(context, { ...node, fields });
}

/** What a context is made of is its own: all but the node is asked of it. */
function withNode(context: ActionContext<PluginNode>, node: PluginNode): ActionContext<PluginNode> {
  return new Proxy(context, {
    get(target, key) {
      if (key === "node") return node;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/**
 * A plug-in is held to the `output:` of its node as a command is; what it
 * gives as a value need not be said as text too.
 */
async function keepsOutput(result: NodeResult, output: OutputFormat, { blobs }: Capabilities): Promise<NodeResult> {
  const kept = await withFittingPorts(result, output);
  if (kept.outcome !== "success" || output.as === "text") return kept;
  if (kept.value === undefined)
    return kept.output === undefined
      ? kept
      : { ...kept, ...(await saidValue(kept.output, output, blobs, "what it said")) };
  const problem = output.as === "schema" ? await schemaFault(kept.value, output.schema) : null;
  if (problem === null) return kept;
  const { value: _value, ...rest } = kept;
  return { ...rest, ...invalid(`the value does not fit the schema of \`output\`: ${problem}`) };
}
