import type { AgentEvent } from "../model/agent-event.ts";
import type { NodeSettled } from "../model/events.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { NodeClass } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { RunStatus, Usage } from "../model/outcome.ts";
import { saidUsage } from "../model/usage.ts";
import type { NodeState } from "./run-view.ts";

/** A class is told by its shape, so that it reads without colour. */
export const classGlyphs: Readonly<Record<NodeClass, string>> = {
  deterministic: "■",
  agentic: "◆",
  human: "●",
  decision: "▲",
  wrapper: "▣",
};

export const stateGlyphs: Readonly<Record<NodeState, string>> = {
  idle: "·",
  running: "▸",
  waiting: "?",
  retrying: "↻",
  asleep: "z",
  success: "✓",
  failure: "✗",
  error: "!",
  cancelled: "⊘",
  skipped: "↷",
  unconfirmed: "‽",
};

/** `0.4s`, `12.3s`, `4m05s`, `2h07m`, `3d04h`. */
export function elapsed(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  if (tenths < 600) return `${(tenths / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${pad(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d${pad(hours % 24)}h`;
}

/** `812`, `12.4k`, `1.2M`. */
function count(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_950) return `${(value / 1000).toFixed(1)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/**
 * `4.1k tokens · 0.012 USD`, `~4.1k tokens` where they are estimated; a cost
 * that is not known is left out, never shown as zero.
 */
export function usageText(usage: Usage): string {
  const about = usage.estimated === true ? "~" : "";
  const tokens = usage.inputTokens + usage.outputTokens;
  const parts = tokens === 0 ? [] : [`${about}${count(tokens)} tokens`];
  if (usage.cost !== undefined)
    parts.push(`${about}${usage.cost.toFixed(usage.cost < 1 ? 3 : 2)} ${usage.currency ?? "USD"}`);
  return parts.join(" · ");
}

/** That an agent does nothing for a while, and until when. */
export function pauseText(event: Extract<AgentEvent, { readonly type: "paused" | "quiet" }>): string {
  if (event.type === "quiet")
    return `has shown no sign of life for ${elapsed(event.ms)}; it is ended in another ${elapsed(event.leftMs)}`;
  const why = event.why === "quota" ? "out of quota" : "overloaded";
  return `waits ${elapsed(event.ms)}, as its provider is ${why}, and goes on where it is`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** `check`, `check (pass 2)`: in brackets, since a flow may name a node `check#2`. */
export function passName(node: string, pass: number): string {
  return pass === 1 ? node : `${node} (pass ${pass})`;
}

/** As {@link passName}, and `check (pass 2, attempt 3)`. */
export function attemptName({ node, pass, attempt }: Attempt): string {
  return attempt === 1 ? passName(node, pass) : `${node} (pass ${pass}, attempt ${attempt})`;
}

/** `yes`, `"a text"`, `{"field":1}`; cut after `limits.answerCharacters`. */
export function answerWords(answer: Json): string {
  return shortly(typeof answer === "boolean" ? (answer ? "yes" : "no") : JSON.stringify(answer));
}

/** Cut after `limits.answerCharacters`. */
export function shortly(text: string): string {
  return text.length <= limits.answerCharacters ? text : `${text.slice(0, limits.answerCharacters)}…`;
}

/** `settled as done by ann (used 700 tokens): looked it up`. */
export function settlementText({ as, by, reason, used }: Pick<NodeSettled, "as" | "by" | "reason" | "used">): string {
  const said = used === undefined ? "" : ` (used ${usageText(saidUsage(used)) || "nothing"})`;
  return `settled as ${as} by ${by}${said}${reason === undefined ? "" : `: ${reason}`}`;
}

/**
 * What did not succeed though the run did, which a success would hide; empty where
 * nothing was, and of any other end, whose reason says more.
 */
export function pastText(status: RunStatus, walkedPast: readonly string[]): string {
  if (status !== "succeeded" || walkedPast.length === 0) return "";
  return `past the failure${walkedPast.length === 1 ? "" : "s"} of ${walkedPast.join(", ")}`;
}
