import type { OutputFormat, PluginNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Json } from "../model/json.ts";
import { messageOf } from "../model/thrown.ts";
import type { ActionContext, Capabilities, Performer, Progress } from "../ports/performer.ts";
import type { NodePlugin, Plugin } from "../ports/plugin.ts";
import { BlobFailure } from "../runtime/blobs/failure.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { textOfJson } from "../runtime/values.ts";
import { argumentsOf } from "./arguments.ts";
import type * as Results from "./plugin-result.ts";
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

/** One performer for all of them: which one a node means is in the node. `redactor` masks all that they say. */
export function pluginPerformer(nodes: ReadonlyMap<string, NodePlugin>, redactor: Redactor): Performer<PluginNode> {
  const unknown = ({ plugin }: PluginNode): string => `no plug-in brings the node type "${plugin}"`;
  return {
    type: "plugin",
    class: "deterministic",
    untimed: true,
    missing(node, can) {
      const found = nodes.get(node.plugin);
      if (found === undefined) return unknown(node);
      const why = missingOf(found, node, can);
      return why === null ? null : redactor.text(why);
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
      const answer = await answerOf(found, given, redactor);
      const result = found.class === "agentic" ? withAgent(node.plugin, answer) : answer;
      if (node.output === undefined) return result;
      return keepsOutput(result, node.output, can);
    },
  };
}

/** What is no answer to that is why, too: nothing may happen where nobody knows. */
function missingOf(plugin: NodePlugin, node: PluginNode, can: Capabilities): string | null {
  const about = `\`missing\` of the node type ${plugin.type}`;
  try {
    // Code that no compiler has seen may answer anything.
    const why: unknown = plugin.missing?.(node, can) ?? null;
    return why === null || typeof why === "string" ? why : `${about} answered neither a text nor null`;
  } catch (error) {
    return `${about} threw: ${messageOf(error)}`;
  }
}

/** Loaded at the first result and kept: an import costs as much as a whole step, each time that it is asked for. */
let results: typeof Results | undefined;

async function answerOf(
  plugin: NodePlugin,
  context: ActionContext<PluginNode>,
  redactor: Redactor,
): Promise<NodeResult> {
  const report = (progress: Progress) =>
    context.report(progress.kind === "line" ? { ...progress, text: redactor.text(progress.text) } : progress);
  try {
    const answered = await plugin.perform(withOwn(context, { report }));
    results ??= await import("./plugin-result.ts");
    return results.pluginResult(plugin.type, answered, redactor);
  } catch (error) {
    if (error instanceof BlobFailure) throw error;
    results ??= await import("./plugin-result.ts");
    return results.pluginThrew(plugin.type, error, redactor);
  }
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
  const fields = new Map<string, Json>(Object.entries(node.fields));
  for (const [name, given] of Object.entries(await argumentsOf(templates, values))) {
    const type = plugin.fields[name]?.type ?? { kind: "json" };
    const value = type.kind === "string" ? textOfJson(given) : given;
    const problem = await typeFault(value, type);
    if (problem !== null) return { problem: `\`${name}\` of ${node.id} does not fit: ${problem}` };
    fields.set(name, value);
  }
  return withOwn(context, { node: { ...node, fields: Object.fromEntries(fields) } });
}

/** What a context is made of is its own: all but this is asked of it. */
function withOwn(
  context: ActionContext<PluginNode>,
  own: Partial<Pick<ActionContext<PluginNode>, "node" | "report">>,
): ActionContext<PluginNode> {
  return new Proxy(context, {
    get(target, key) {
      if (key === "node" && own.node !== undefined) return own.node;
      if (key === "report" && own.report !== undefined) return own.report;
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
