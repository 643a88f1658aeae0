import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";
import type { Usage } from "../model/outcome.ts";
import { messageOf } from "../model/thrown.ts";
import { zeroUsage } from "../model/usage.ts";
import type { AgentProvider, AgentResult } from "../ports/provider.ts";
import { soundUsage } from "./counts.ts";
import { maskedJson, presentable } from "./events.ts";
import { clip, oneLine, type Mask } from "../runtime/text.ts";

/**
 * Holds a provider to its contract: secrets are masked, texts well formed and sizes bounded in all
 * it emits and answers, what it says it used counts only where it is a count, a throw becomes an
 * error, nothing comes after the end, and exactly one `stop` does.
 */
export function guarded(provider: AgentProvider, secrets: Mask): AgentProvider {
  const mask: Mask = (text) => secrets(text).toWellFormed();
  return {
    name: provider.name,
    missing: (model, settings) => provider.missing(model, settings),
    currencyOf: (model) => provider.currencyOf?.(model) ?? null,
    async run(request, emit, signal) {
      const gate = new Gate(emit, mask);
      const result = await settle(() => provider.run(request, gate.pass, signal), gate);
      gate.close(result);
      return presentableResult(result, mask);
    },
  };
}

class Gate {
  readonly #emit: (event: AgentEvent) => void;
  readonly #mask: Mask;
  #count = 0;
  #bytes = 0;
  #stopped = false;
  /** Tokens and cost of the usage that was last let through. */
  #told = { tokens: 0, cost: 0 };
  /** A tool was called, or nobody knows. */
  touched = false;

  constructor(emit: (event: AgentEvent) => void, mask: Mask) {
    this.#emit = emit;
    this.#mask = mask;
  }

  readonly pass = (event: AgentEvent): void => {
    if (this.#stopped) return;
    if (event.type === "tool_call") this.touched = true;
    if (event.type === "usage") return this.#passUsage(event.usage);
    this.#let(event);
  };

  #passUsage(said: Usage): void {
    const usage = soundUsage(said);
    if (usage === undefined) return;
    const { inputTokens, outputTokens, cost = 0 } = usage;
    const tokens = inputTokens + outputTokens;
    // Budgets have to see it grow, but not each grain of it.
    const grows = isMore(tokens, this.#told.tokens) || isMore(cost, this.#told.cost);
    if (this.#count >= limits.agentEvents && !grows) return;
    this.#told = { tokens, cost };
    this.#let({ type: "usage", usage });
  }

  #let(event: AgentEvent): void {
    if (event.type === "stop") this.#stopped = true;
    // Beyond the bounds only what a reader needs to make sense of the end.
    else if (this.#count >= limits.agentEvents && event.type !== "usage" && event.type !== "diff") return;
    else if (this.#count >= 2 * limits.agentEvents && event.type === "diff") return;
    this.#count += 1;
    const late = this.#bytes >= limits.agentStreamBytes;
    const shown = presentable(event, this.#mask, late ? limits.agentLateEventBytes : limits.agentEventBytes);
    this.#bytes += JSON.stringify(shown).length;
    this.#emit(shown);
  }

  close(result: AgentResult): void {
    this.pass({ type: "stop", why: stopOf(result) });
    this.#stopped = true;
  }
}

async function settle(run: () => Promise<AgentResult>, gate: Gate): Promise<AgentResult> {
  try {
    return await run();
  } catch (error) {
    return broken(error, gate);
  }
}

function stopOf(result: AgentResult): Extract<AgentEvent, { type: "stop" }>["why"] {
  if (result.outcome === "success") return "end_turn";
  if (result.outcome === "cancelled") return "cancelled";
  const code = result.reason?.code;
  return code === "refusal" || code === "turn_limit" || code === "output_limit" || code === "give_up" ? code : "error";
}

function isMore(now: number, before: number): boolean {
  return now > before * limits.lateUsageRatio;
}

function broken(error: unknown, gate: Gate): AgentResult {
  return {
    outcome: "error",
    reason: {
      code: "internal",
      text: `the agent's provider failed: ${messageOf(error)}`,
    },
    message: "",
    usage: zeroUsage,
    beforeEffect: !gate.touched,
  };
}

function presentableResult(result: AgentResult, mask: Mask): AgentResult {
  const { reason, value, usage: said, ...rest } = result;
  const usage = said === undefined ? undefined : soundUsage(said);
  return {
    ...rest,
    ...(usage === undefined ? {} : { usage }),
    message: clip(mask(result.message), limits.agentMessageBytes),
    ...(reason === undefined ? {} : { reason: { code: reason.code, text: oneLine(mask(reason.text)) } }),
    ...(value === undefined ? {} : { value: maskedJson(value, mask) }),
  };
}
