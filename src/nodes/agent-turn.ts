import { hash } from "node:crypto";
import type { AgentNode, AgentSandboxNode } from "../model/node.ts";
import type { AgentPolicy, AgentSettings } from "../model/agent-settings.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult, Reason } from "../model/outcome.ts";
import { stackOf } from "../model/thrown.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionContext } from "../ports/performer.ts";
import type { AgentProvider, AgentRequest, AgentResult } from "../ports/provider.ts";
import type { ProcessSpec } from "../ports/processes.ts";
import { captureText } from "../runtime/attempts/capture.ts";
import { scopeOf } from "../runtime/reading/scope.ts";
import { TurnReads } from "../runtime/reading/turn-reads.ts";
import { clip, type Mask } from "../runtime/text.ts";
import { realOf } from "../runtime/tree/plain-file.ts";
import { readScopeOf } from "./agent-context.ts";
import { toldOf } from "./agent-earlier.ts";
import { StallWatch } from "./stall.ts";

type AgenticNode = AgentNode | AgentSandboxNode;

/** Where an agent works and with what environment. */
export interface Place {
  /** Absolute, where the agent is. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** What goes into the prompt beside the node's own; may be empty. */
  readonly shown: string;
  /** Whether that is a box, which holds nothing but what was brought into it. */
  readonly boxed: boolean;
  readonly mask: Mask;
}

/**
 * Has an agent do the work of a node. The whole turn has one timeout; an agent
 * that passes it is stopped, and the node fails.
 */
export async function performTurn(
  context: ActionContext<AgenticNode>,
  settings: AgentSettings,
  provider: AgentProvider,
  place: Place,
  clock: Clock,
): Promise<NodeResult> {
  // What ends it first is why it ended.
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const reads = readsOf(context, settings, place);
  const asked = await requestOf(context, settings, place, signal);
  const tell = (event: AgentEvent): void => context.report({ kind: "agent", event });
  const afterMs = settings.stallMs ?? limits.agentStallDefaultMs;
  const watch = new StallWatch({
    clock,
    afterMs,
    warn: (ms, leftMs) => tell({ type: "quiet", ms, leftMs }),
    stalled: () => ending.abort(stalled),
  });
  const request = { ...watched(asked, watch), reads };
  const cancelTimer = clock.after(context.timeoutMs ?? limits.agenticTimeoutMs, () => ending.abort(outOfTime));
  const emit = (event: AgentEvent): void => {
    if (event.type === "paused") watch.rest(event.ms);
    else watch.alive();
    tell(event);
  };
  try {
    const result = await run(provider, request, emit, signal);
    const ended = await nodeResult(context.signal.aborted ? result : asEnded(result, ending.signal, afterMs), context);
    const { model } = settings;
    const drift = await reads.settled();
    return {
      ...ended,
      ...driftPort(drift, ended),
      agent: { provider: provider.name, ...(model === undefined ? {} : { model }) },
    };
  } finally {
    watch.stop();
    cancelTimer();
    // What it asked and did not wait for nobody need answer any more.
    ending.abort();
  }
}

/** One that throws has still been asked, and may have used what it has not said. */
async function run(
  ...[provider, ...asked]: [AgentProvider, ...Parameters<AgentProvider["run"]>]
): Promise<AgentResult> {
  try {
    return await provider.run(...asked);
  } catch (error) {
    const text = `${provider.name} threw: ${stackOf(error).split("\n").slice(0, 3).join(" ")}`;
    return { outcome: "error", message: "", reason: { code: "internal", text }, beforeEffect: false };
  }
}

/** The request, of which whatever shows that somebody is at work is a sign of life. */
function watched(request: AgentRequest, watch: StallWatch): AgentRequest {
  const { ask, processes } = request;
  return {
    ...request,
    ...(ask === undefined ? {} : { ask: (what: string) => watch.during(ask(what)) }),
    processes: {
      run(spec, signal) {
        const onLine: NonNullable<ProcessSpec["onLine"]> = (line, stream) => {
          watch.alive();
          spec.onLine?.(line, stream);
        };
        return processes.run({ ...spec, onLine }, signal);
      },
    },
    onSign: () => watch.alive(),
  };
}

/** In a box the scope of the repository is what was checked out into it, and nothing else is there. */
function readsOf(
  context: ActionContext<AgenticNode>,
  settings: AgentSettings,
  { workspace, env, boxed, mask }: Place,
): TurnReads {
  const scope = readScopeOf(settings.context);
  const root = boxed ? workspace : (realOf(workspace) ?? workspace);
  return new TurnReads({
    root,
    scope: scope === null || (boxed && scope === "repository") ? null : scopeOf(scope, root, env),
    boxed,
    report: (event) => context.report({ kind: "agent", event: { ...event, path: mask(event.path) } }),
  });
}

/**
 * What it read outside of its context, a path a line, for whoever tells people of
 * the work; an answer of that name stands before it.
 */
function driftPort(drift: readonly string[], { value }: NodeResult): Pick<NodeResult, "ports"> {
  const taken = typeof value === "object" && value !== null && Object.hasOwn(value, "drift");
  if (drift.length === 0 || taken) return {};
  const more = drift.length > limits.readsShown ? [`… and ${drift.length - limits.readsShown} more`] : [];
  return { ports: { drift: [...drift.slice(0, limits.readsShown), ...more].map((path) => `${path}\n`).join("") } };
}

async function requestOf(
  context: ActionContext<AgenticNode>,
  settings: AgentSettings,
  { workspace, env, shown, mask }: Place,
  signal: AbortSignal,
): Promise<AgentRequest> {
  const { node, can, attempt } = context;
  const prompt = await context.values.text(node.prompt, limits.promptValueBytes);
  const earlier = context.earlier === undefined ? null : await toldOf(context.earlier);
  const onProcess = (process: ProcessIdentity): void => context.report({ kind: "process", process });
  return {
    run: context.run,
    node: node.id,
    pass: attempt.pass,
    prompt: [prompt, ...languageOf(context), ...givenOf(shown)].reduce((text, more) => `${text.trimEnd()}\n\n${more}`),
    model: settings.model ?? null,
    turns: settings.turns ?? limits.agentTurnsDefault,
    tools: can.tools,
    toolScope: settings.tools ?? null,
    policy: settings.policy ?? defaultPolicy,
    ...(node.output === undefined ? {} : { output: node.output }),
    ...("options" in node && node.options !== undefined ? { options: node.options } : {}),
    workspace,
    env,
    processes: {
      run: (spec, ended) =>
        can.processes.run({ ...spec, onStart: (child) => (spec.onStart?.(child), onProcess(child)) }, ended),
    },
    outputBytes: context.outputBytes,
    ask: asker(context, mask, signal),
    onProcess,
    ...(earlier === null ? {} : { earlier: mask(earlier) }),
  };
}

/** In which language people will read what it writes. */
function languageOf({ blueprint: { locale } }: ActionContext): readonly string[] {
  if (locale === undefined) return [];
  return [`Write what people will read (comments, documentation, messages) in ${languageName(locale)}.`];
}

/** A tag may look like one and be none. */
function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

function givenOf(shown: string): readonly string[] {
  return shown === "" ? [] : [`For this you are given:\n\n${shown}`];
}

/** Own tools stay in the workspace; a blueprint or a configuration may narrow it further. */
const defaultPolicy: AgentPolicy = { mode: "allow_all" };

/**
 * Asks a person for leave, at the gate of the run: here, or from wherever it is answered. One question at a time, each
 * with a digest of its own, so that no answer serves for two.
 */
function asker(context: ActionContext<AgenticNode>, mask: Mask, signal: AbortSignal): NonNullable<AgentRequest["ask"]> {
  let turn: Promise<unknown> = Promise.resolve();
  let asked = 0;
  return (request) => {
    if (context.can.gates.nobody === true) return Promise.resolve("nobody");
    const answer = turn.then(() => (signal.aborted ? "nobody" : ask(context, mask(request), (asked += 1), signal)));
    turn = answer;
    return answer;
  };
}

async function ask(
  context: ActionContext<AgenticNode>,
  request: string,
  number: number,
  signal: AbortSignal,
): Promise<"granted" | "declined" | "nobody"> {
  const { run, node, can, attempt } = context;
  const prompt = "May the agent do this?";
  const digest = hash("sha256", JSON.stringify([run, attempt, number, request]), "hex");
  const shown = `${prompt} ${clip(request, limits.previewBytes)}`;
  context.report({ kind: "gate_opened", mode: "approval", prompt: shown, digest, leave: true });
  const answer = await can.gates.ask(
    { run, node: node.id, mode: "approval", prompt, evidence: [request], options: [], fields: {} },
    signal,
  );
  const granted = answer.kind === "approved";
  // A question that nobody answered stands no longer: the agent goes on with a no.
  context.report({ kind: "gate_answered", by: "by" in answer ? answer.by : "nobody", digest, answer: granted });
  if (answer.kind === "nobody" || answer.kind === "end_of_input") return "nobody";
  return granted ? "granted" : "declined";
}

const outOfTime = "timeout";
const stalled = "stalled";

/**
 * What came of an agent that nobody stopped from outside: an answer after its time is none, and it may have
 * been ended because it did nothing any more.
 */
function asEnded(result: AgentResult, { reason: why }: AbortSignal, stallMs: number): AgentResult {
  if (why === outOfTime) {
    const { value: _value, option: _option, ...said } = result;
    const text = "the agent was still at work when its time was over";
    return { ...said, outcome: "failure", reason: { code: "timeout", text } };
  }
  if (result.outcome !== "cancelled") return result;
  const text = `the agent showed no sign of life for ${stallMs / 1000} s and was ended`;
  return { ...result, outcome: "error", reason: { code: "stalled", text } };
}

async function nodeResult(result: AgentResult, context: ActionContext<AgenticNode>): Promise<NodeResult> {
  const { outcome, reason, value, option, usage, retryAfterMs, beforeEffect } = result;
  const output = await captureText(result.message, context.can.blobs).catch((error: unknown) => String(error));
  if (typeof output === "string") {
    return {
      outcome: "error",
      reason: { code: "spill", text: `what the agent said cannot be kept: ${output}` },
      beforeEffect,
    };
  }
  return {
    outcome,
    output,
    beforeEffect,
    ...(usage === undefined ? {} : { usage }),
    ...(reason === undefined ? {} : { reason: tooLong(reason, retryAfterMs) }),
    ...(value === undefined ? {} : { value }),
    ...(option === undefined ? {} : { option }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Says why a pause that a provider asks for is not kept. */
function tooLong(reason: Reason, askedMs = 0): Reason {
  if (askedMs <= limits.quotaWaitMaxMs) return reason;
  return {
    ...reason,
    text: `${reason.text}; that is longer than the ${limits.quotaWaitMaxMs / 3_600_000} h that a run waits`,
  };
}
