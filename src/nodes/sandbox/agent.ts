import type { AgentSandboxNode } from "../../model/node.ts";
import type { AgentSettings } from "../../model/agent-settings.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext, Performer } from "../../ports/performer.ts";
import type { StartProcess } from "../../ports/processes.ts";
import type { AgentProvider } from "../../ports/provider.ts";
import type { Sandbox, SandboxPool } from "../../ports/sandbox.ts";
import type { Mask } from "../../runtime/text.ts";
import { bundleOf, missingContext, readScopeOf } from "../agent-context.ts";
import { unknownCost } from "../agent-cost.ts";
import { settingsOf } from "../agent-settings.ts";
import { performTurn } from "../agent-turn.ts";
import { sourceIn } from "./box-context.ts";
import { boxEnvironment, boxOf, faultResult } from "./common.ts";

type Argv = readonly [string, ...string[]];

/** How agents in boxes are found and spoken to. */
export interface AgentsInBoxes {
  commandOf(provider: string | undefined): Argv | { readonly missing: string };
  provider(argv: Argv, start: StartProcess): AgentProvider;
}

export interface AgentSandboxParts {
  readonly pool: SandboxPool;
  readonly clock: Clock;
  /** Settings of the configuration. */
  readonly configured: AgentSettings;
  readonly agents: AgentsInBoxes;
  readonly mask: Mask;
}

/** Performs `agent_sandbox` nodes: an agent of its own make is started in the box and works in its workspace. */
export function createAgentSandboxPerformer(parts: AgentSandboxParts): Performer<AgentSandboxNode> {
  const { configured, agents } = parts;
  return {
    type: "agent_sandbox",
    class: "agentic",
    missing(node, _can, blueprint) {
      const settings = settingsOf(node, blueprint.agent, configured);
      return (
        unheld(settings, mountedBy(node, blueprint)) ??
        missingCommand(node, settings, agents) ??
        unknownCost(blueprint.limits.cost, null)
      );
    },
    perform: (context) => perform(context, parts),
  };
}

/** A node that mounts folders of this machine into the box which an agent works in. */
function mountedBy({ container }: AgentSandboxNode, { nodes }: Blueprint): string | null {
  const named = container.parts.flatMap((part) => ("ref" in part ? [nodes.get(part.ref.name)] : []));
  return named.find((node) => node?.type === "provision" && (node.mount ?? []).length > 0)?.id ?? null;
}

function unheld(settings: AgentSettings, mounted: string | null): string | null {
  const unheld = settings.context === undefined ? null : missingContext(settings.context);
  if (unheld !== null) return unheld;
  const { only } = settings.context ?? {};
  if (only === "require" && readScopeOf(settings.context) !== "repository")
    return "`context.only: require` cannot hold it to globs, since it sees all that was checked out; use `read: repository`";
  if (only === "require" && mounted !== null)
    return `\`context.only: require\` cannot hold it to the repository, since \`${mounted}\` mounts folders of this machine; leave out its \`mount\``;
  return settings.tools === undefined
    ? null
    : "`tools` cannot hold an agent that brings its own; leave them out, or use a policy";
}

function missingCommand(node: AgentSandboxNode, { provider }: AgentSettings, agents: AgentsInBoxes): string | null {
  if (node.command !== undefined) return null;
  const command = agents.commandOf(provider);
  return "missing" in command ? command.missing : null;
}

async function perform(
  context: ActionContext<AgentSandboxNode>,
  { pool, clock, configured, agents, mask }: AgentSandboxParts,
): Promise<NodeResult> {
  const { node, blueprint } = context;
  const { model: _, ...inherited } = settingsOf(node, blueprint.agent, configured);
  // A model that was meant for an agent on this machine says nothing about the one in the box.
  const settings = node.model === undefined ? inherited : { ...inherited, model: node.model };
  // Its text comes from the document alone, like that of `run`.
  const argv: Argv | { readonly missing: string } =
    node.command === undefined ? agents.commandOf(settings.provider) : ["sh", "-c", `exec ${node.command}`];
  if ("missing" in argv)
    return { outcome: "error", reason: { code: "could_not_start", text: argv.missing }, beforeEffect: true };
  const box = await boxOf(context, pool, context.signal);
  if ("fault" in box) return faultResult(box, context);
  const env = await boxEnvironment(context, box.env);
  const bundle = await bundleOf(settings.context?.include ?? [], context, sourceIn(box.sandbox, context, env, mask));
  if ("problem" in bundle)
    return { outcome: "error", reason: { code: "could_not_start", text: bundle.problem }, beforeEffect: true };
  const place = { workspace: boxWorkspace, env, shown: bundle.text, boxed: true, mask };
  return performTurn(context, settings, agents.provider(atPort(argv, node.port), startIn(box.sandbox)), place, clock);
}

/** An agent that listens is started along with what joins our streams to its port. */
function atPort(argv: Argv, port: number | undefined): Argv {
  return port === undefined ? argv : ["sh", "-c", relay, "sh", String(port), ...argv];
}

/** `PORT COMMAND…`: tries the port until somebody listens there, for as long as the agent lives. */
const relay = `
connect() { nc "$@"; }
command -v nc >/dev/null || connect() { busybox nc "$@"; }
command -v nc >/dev/null || command -v busybox >/dev/null || {
  echo "the image has no nc, which a port needs" >&2
  exit 127
}
port=$1
shift
"$@" </dev/null >&2 &
agent=$!
while kill -0 "$agent" 2>/dev/null; do
  connect 127.0.0.1 "$port" 2>/dev/null && exit 0
  sleep 0.1 2>/dev/null || sleep 1
done
wait "$agent"`;

function startIn(sandbox: Sandbox): StartProcess {
  return async (spec) => {
    const child = await sandbox.open(spec);
    return "fault" in child ? { kind: "could_not_start", message: `${child.fault}; ${child.hint}` } : child;
  };
}
