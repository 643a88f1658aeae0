import type { AgentNode, AgentPolicy, AgentSettings } from "../model/blueprint.ts";
import type { AgentEvent, ProcessIdentity } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionContext, Capabilities, Performer } from "../ports/performer.ts";
import type { AgentProvider, AgentRequest, AgentResult } from "../ports/provider.ts";
import { settingsOf } from "./agent-settings.ts";

/**
 * Performs `agent` nodes. `configured` are the settings of the configuration, under those of the document and the node.
 * The whole turn has one timeout; an agent that passes it is stopped, and the node fails.
 */
export function createAgentPerformer(configured: AgentSettings, clock: Clock): Performer<AgentNode> {
  return {
    type: "agent",
    class: "agentic",
    missing: (node, can, blueprint) => missing(node, can, settingsOf(node, blueprint.agent, configured)),
    async perform(context) {
      const settings = settingsOf(context.node, context.blueprint.agent, configured);
      const provider = context.can.provider(settings.provider);
      if (isMissing(provider)) {
        return { outcome: "error", reason: { code: "could_not_start", text: provider.missing }, beforeEffect: true };
      }
      const deadline = new AbortController();
      const signal = AbortSignal.any([context.signal, deadline.signal]);
      const request = await requestOf(context, settings, signal);
      const cancelTimer = clock.after(context.timeoutMs ?? limits.agenticTimeoutMs, () => deadline.abort());
      const emit = (event: AgentEvent): void => context.report({ kind: "agent", event });
      const result = await provider.run(request, emit, signal);
      cancelTimer();
      const timedOut = deadline.signal.aborted && !context.signal.aborted && result.outcome === "cancelled";
      return nodeResult(timedOut ? timeout(result) : result, context);
    },
  };
}

function missing(node: AgentNode, can: Capabilities, settings: AgentSettings): string | null {
  if (settings.context !== undefined) return `agent "${node.id}": \`context\` is not available yet`;
  const unknown = settings.tools?.find((name) => can.tools.get(name) === undefined);
  if (unknown !== undefined)
    return `agent "${node.id}": there is no tool "${unknown}"; there are: ${can.tools.names().join(", ")}`;
  const provider = can.provider(settings.provider);
  const what = isMissing(provider) ? provider.missing : provider.missing(settings.model ?? null, settings);
  return what === null ? null : `agent "${node.id}": ${what}`;
}

/** A provider has a method of that name. */
function isMissing(provider: AgentProvider | { readonly missing: string }): provider is { readonly missing: string } {
  return typeof provider.missing === "string";
}

async function requestOf(
  context: ActionContext<AgentNode>,
  settings: AgentSettings,
  signal: AbortSignal,
): Promise<AgentRequest> {
  const { node, can, cwd, attempt } = context;
  const onProcess = (process: ProcessIdentity): void => context.report({ kind: "process", process });
  return {
    run: context.run,
    node: node.id,
    pass: attempt.pass,
    prompt: await context.values.text(node.prompt, limits.promptValueBytes),
    model: settings.model ?? null,
    turns: settings.turns ?? limits.agentTurnsDefault,
    tools: can.tools,
    toolScope: settings.tools ?? null,
    policy: settings.policy ?? defaultPolicy,
    ...(node.output === undefined ? {} : { output: node.output }),
    ...(node.options === undefined ? {} : { options: node.options }),
    workspace: cwd,
    env: await context.environment(),
    processes: {
      run: (spec, signal) =>
        can.processes.run({ ...spec, onStart: (child) => (spec.onStart?.(child), onProcess(child)) }, signal),
    },
    outputBytes: context.outputBytes,
    ask: (request) => ask(context, request, signal),
    onProcess,
  };
}

/** Own tools stay in the workspace; a blueprint or a configuration may narrow it further. */
const defaultPolicy: AgentPolicy = { mode: "allow_all" };

async function ask(
  { run, node, can }: ActionContext<AgentNode>,
  request: string,
  signal: AbortSignal,
): Promise<"granted" | "declined" | "nobody"> {
  const prompt = "May the agent do this?";
  const answer = await can.gates.ask(
    { run, node: node.id, mode: "approval", prompt, evidence: [request], options: [], fields: {} },
    signal,
  );
  if (answer.kind === "nobody" || answer.kind === "end_of_input") return "nobody";
  return answer.kind === "approved" ? "granted" : "declined";
}

function timeout(result: AgentResult): AgentResult {
  return {
    ...result,
    outcome: "failure",
    reason: { code: "timeout", text: "the agent was still at work when its time was over" },
  };
}

async function nodeResult(result: AgentResult, context: ActionContext<AgentNode>): Promise<NodeResult> {
  const { outcome, reason, value, option, usage, retryAfterMs, beforeEffect } = result;
  return {
    outcome,
    output: await captured(result.message, context.can.blobs),
    beforeEffect,
    ...(usage === undefined ? {} : { usage }),
    ...(reason === undefined ? {} : { reason }),
    ...(value === undefined ? {} : { value }),
    ...(option === undefined ? {} : { option }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Whole where it is short; else its tail, from the beginning of a character on, and all of it as a blob. */
async function captured(text: string, blobs: BlobStore): Promise<CapturedText> {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limits.inlineValueBytes) return { text, bytes: bytes.length };
  let start = bytes.length - limits.inlineValueBytes;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return { text: bytes.subarray(start).toString("utf8"), bytes: bytes.length, blob: await blobs.put(bytes) };
}
