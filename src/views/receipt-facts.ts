import { UsageMeter } from "../engine/limits/usage-meter.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, NodeSettled } from "../model/events.ts";
import type { GateAnswered, GateOpened } from "../model/gate-events.ts";
import type { RunLimits } from "../model/settings.ts";
import type { Json } from "../model/json.ts";
import type { EndStatus, NodeResult, Usage } from "../model/outcome.ts";
import { type AttemptSoFar, attemptOf, effect, type EffectOf, instant, key } from "./receipt-effects.ts";
import { addUsage, saidUsage, zeroUsage } from "../model/usage.ts";

/**
 * What a receipt says of a run: a pure function of its records and its
 * definition, so that whoever holds both can recompute it.
 */
export interface ReceiptFacts {
  readonly task: string;
  readonly taskId: string;
  readonly blueprint: string;
  /** Null while the run is not over, or goes on after an end. */
  readonly status: Exclude<EndStatus, "interrupted"> | null;
  readonly reason: string | null;
  /** ISO 8601, as every time here. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly content: string;
  readonly binding: string;
  /** What it was bound by; absent where that was not recorded. */
  readonly limits?: RunLimits;
  /** Changed content or binding that a person let the run go on with. */
  readonly accepted: readonly AcceptedOf[];
  readonly caps: readonly { readonly node: string; readonly passes: number; readonly cap: number }[];
  readonly agents: readonly AgentUse[];
  readonly usage: UsageSum;
  readonly contexts: readonly ContextOf[];
  readonly approvals: readonly Approval[];
  readonly decisions: readonly Decision[];
  readonly effects: readonly EffectOf[];
}

interface AcceptedOf {
  readonly at: string;
  readonly content: string;
  readonly binding: string;
  readonly limits?: RunLimits;
}

export interface UsageSum extends Pick<Usage, "inputTokens" | "outputTokens" | "turns"> {
  /** Null is unknown, never zero. */
  readonly cost: number | null;
  readonly currency: string | null;
  readonly estimated: boolean;
}

export interface AgentUse extends UsageSum {
  readonly node: string;
  readonly provider: string;
  readonly model: string | null;
  readonly attempts: number;
}

/** What an agent was given beside its prompt, and which files it is known to have read or asked for. */
export interface ContextOf extends Attempt {
  /** SHA-256 of the text. */
  readonly bundle: string | null;
  readonly reads: readonly Omit<ReadEvent, "type">[];
  /** Whether there were more reads than are kept. */
  readonly more: boolean;
}

type ReadEvent = Extract<AgentEvent, { readonly type: "read" }>;

/** An answer of a person. */
export interface Approval extends Attempt {
  readonly mode: string;
  readonly prompt: string;
  /** SHA-256 over what was shown, and what the answer names. */
  readonly shown: string;
  readonly digest: string;
  readonly by: string;
  readonly at: string;
  readonly answer: Json;
}

/** What was decided about a node whose outcome was unknown, or at which the run halted. */
export interface Decision extends Attempt {
  readonly as: string;
  readonly by: string;
  readonly at: string;
  readonly reason: string | null;
  readonly grant: number | null;
  /** What was said to have been used by agents that had not said it. */
  readonly used?: UsageSum;
}

export interface TimedEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: EventBody;
}

type Asked = Pick<GateOpened, "prompt" | "digest"> & { readonly mode: string };

interface Gathered {
  readonly attempts: Map<string, AttemptSoFar>;
  readonly gates: Map<string, Asked>;
  readonly caps: Map<string, { readonly passes: number; readonly cap: number }>;
  readonly contexts: Map<
    string,
    { readonly of: Attempt; bundle: string | null; readonly reads: ContextOf["reads"][number][] }
  >;
  readonly approvals: Approval[];
  readonly decisions: Decision[];
  readonly accepted: AcceptedOf[];
  readonly agents: Map<string, { readonly use: Omit<AgentUse, keyof UsageSum>; readonly usage: Usage }>;
  readonly meter: UsageMeter;
  end: {
    readonly status: Exclude<EndStatus, "interrupted">;
    readonly reason: string | null;
    readonly at: string;
  } | null;
}

/** Of the start, then of each that was accepted. Null where the events do not begin with the start of a run. */
export function receiptFacts(
  events: Iterable<TimedEvent>,
  definitions: readonly (Blueprint | null)[],
): ReceiptFacts | null {
  const found: Gathered = {
    attempts: new Map(),
    gates: new Map(),
    caps: new Map(),
    contexts: new Map(),
    approvals: [],
    decisions: [],
    accepted: [],
    agents: new Map(),
    meter: new UsageMeter(),
    end: null,
  };
  let first: TimedEvent | null = null;
  for (const event of events) {
    first ??= event;
    found.meter.note(event.body);
    gather(found, event);
  }
  if (first?.body.type !== "run.started") return null;
  const { task, taskId, blueprint, contentHash, bindingHash, limits: bounds } = first.body;
  return {
    task,
    taskId,
    blueprint,
    status: found.end?.status ?? null,
    reason: found.end?.reason ?? null,
    startedAt: instant(first.at),
    endedAt: found.end?.at ?? null,
    content: contentHash,
    binding: bindingHash,
    ...(bounds === undefined ? {} : { limits: bounds }),
    accepted: found.accepted,
    caps: [...found.caps].map(([node, cap]) => ({ node, ...cap })),
    agents: [...found.agents.values()].map(({ use, usage }) => ({ ...use, ...sum(usage) })),
    usage: sum(found.meter.total() ?? zeroUsage),
    contexts: [...found.contexts.values()].map(({ of, bundle, reads }) => ({
      ...of,
      bundle,
      reads: reads.slice(0, limits.readsPerAttempt),
      more: reads.length > limits.readsPerAttempt,
    })),
    approvals: found.approvals,
    decisions: found.decisions,
    effects: [...found.attempts.values()]
      .filter(({ processes }) => processes > 0)
      .map((one) => effect(one, definitions[one.accepted] ?? null)),
  };
}

function gather(found: Gathered, { at, body }: TimedEvent): void {
  switch (body.type) {
    case "run.resumed": {
      found.end = null;
      const { accepted } = body;
      if (accepted === undefined) return;
      const { contentHash: content, bindingHash: binding, limits: bounds } = accepted;
      found.accepted.push({ at: instant(at), content, binding, ...(bounds === undefined ? {} : { limits: bounds }) });
      return;
    }
    case "node.started":
      found.attempts.set(key(body), {
        start: body,
        at,
        processes: 0,
        accepted: found.accepted.length,
        end: null,
        reason: null,
      });
      if (body.charged === undefined) return;
      found.caps.set(body.node, { passes: body.charged.passes, cap: body.charged.cap });
      return;
    case "node.process": {
      const attempt = found.attempts.get(key(body));
      if (attempt !== undefined) attempt.processes += 1;
      return;
    }
    case "agent.progressed":
      return progressed(found, body, body.event);
    case "node.ended":
    case "node.retrying":
      return ended(found, body, body.result, at);
    case "node.unconfirmed": {
      const attempt = found.attempts.get(key(body));
      if (attempt === undefined) return;
      attempt.end = { at, outcome: "unconfirmed", result: null };
      attempt.reason = body.reason.text;
      return;
    }
    case "gate.opened":
      found.gates.set(key(body), body);
      return;
    case "gate.answered":
      found.approvals.push(approval(body, found.gates.get(key(body)), at));
      return;
    case "node.settled":
      found.decisions.push(decision(body, at));
      return;
    case "run.finished":
      found.end = { status: body.status, reason: body.reason ?? null, at: instant(at) };
      return;
    default:
      return;
  }
}

function approval(body: GateAnswered, gate: Asked | undefined, at: number): Approval {
  const { digest, by, answer } = body;
  const { mode, prompt, digest: shown } = gate ?? { mode: "", prompt: "", digest: "" };
  return { ...attemptOf(body), mode, prompt, shown, digest, by, at: instant(at), answer };
}

function decision(body: NodeSettled, at: number): Decision {
  const { as, by, reason = null, grant = null, used } = body;
  return { ...attemptOf(body), as, by, at: instant(at), reason, grant, ...(used && { used: sum(saidUsage(used)) }) };
}

function progressed(found: Gathered, of: Attempt, event: AgentEvent): void {
  if (event.type !== "context" && event.type !== "read") return;
  const known = found.contexts.get(key(of)) ?? { of: attemptOf(of), bundle: null, reads: [] };
  found.contexts.set(key(of), known);
  if (event.type === "context") known.bundle = event.bundle;
  else known.reads.push({ path: event.path, digest: event.digest, how: event.how });
}

function ended(found: Gathered, of: Attempt, result: NodeResult, at: number): void {
  const attempt = found.attempts.get(key(of));
  // One that waited for a retry ends once more where the run halts first.
  const isCounted = (attempt?.end?.result ?? null) !== null;
  if (attempt !== undefined) {
    attempt.end = { at, outcome: result.outcome, result };
    attempt.reason = result.reason?.text ?? null;
  }
  const used = result.usage ?? zeroUsage;
  if (result.agent === undefined || isCounted) return;
  const { provider, model = null } = result.agent;
  const name = JSON.stringify([of.node, provider, model]);
  const known = found.agents.get(name);
  found.agents.set(name, {
    use: { node: of.node, provider, model, attempts: (known?.use.attempts ?? 0) + 1 },
    usage: addUsage(known?.usage ?? zeroUsage, used),
  });
}

function sum({ inputTokens, outputTokens, turns, cost, currency, estimated }: Usage): UsageSum {
  const money = cost === undefined ? { cost: null, currency: null } : { cost, currency: currency ?? "USD" };
  return { inputTokens, outputTokens, turns, ...money, estimated: estimated === true };
}
