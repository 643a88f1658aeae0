import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { jsonText } from "../../model/nesting.ts";
import type { Reason, ReasonCode } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import { oneLine } from "../../runtime/text.ts";

/** What we have against an agent: however its process ends then, this is why it is of no use. */
export class Unfit extends Error {}

export interface AcpFault {
  readonly reason: Reason;
  readonly retryAfterMs?: number;
}

/**
 * Sorts what an agent answers in place of a result. Its own words decide where the
 * protocol has no code. `wall` is now, since the epoch.
 */
export function classify(error: unknown, errorOutput: string, wall: number): AcpFault {
  if (!(error instanceof RequestError)) return { reason: { code: "connection", text: describe(error, errorOutput) } };
  const detail = error.data === undefined ? error.message : `${error.message} ${jsonText(error.data)}`;
  const reason = { code: codeOf(error.code, detail), text: oneLine(`the agent answered: ${detail}`) };
  const retryAfterMs = reason.code === "quota" ? waitIn(detail, wall) : null;
  return retryAfterMs === null ? { reason } : { reason, retryAfterMs };
}

/**
 * How long its words say to wait, in milliseconds: `limit reached|1764525600`, `try
 * again in 2 hours 13 minutes`; null where they do not.
 */
function waitIn(detail: string, wall: number): number | null {
  const since = /limit reached\|(\d{10})\b/i.exec(detail)?.[1];
  if (since !== undefined) return Math.max(0, Number(since) * 1000 - wall);
  const [, said = ""] = span.exec(detail) ?? [];
  const parts = [...said.matchAll(/([\d.]+) ?([dhms])/gi)];
  const ms = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMs[unit.toLowerCase()] ?? 0), 0);
  return parts.length === 0 || !Number.isFinite(ms) ? null : Math.ceil(ms);
}

const span =
  /(?:try again|retry|resets?) (?:after|in):? ((?:[\d.]+ ?(?:days?|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[ ,]*(?:and )?)+)/i;
const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

function codeOf(code: number, detail: string): ReasonCode {
  if (code === authRequired || /\b401\b|\b403\b|unauthori[sz]ed|authenticat|api key|log ?in/i.test(detail))
    return "auth";
  if (/\b429\b|rate.?limit|quota|usage limit|RESOURCE_EXHAUSTED/i.test(detail)) return "quota";
  if (/context (length|window)|too long|maximum context/i.test(detail)) return "context_overflow";
  if (/\b5\d\d\b|overloaded|UNAVAILABLE/i.test(detail)) return "overloaded";
  if (/ECONN|ENOTFOUND|fetch failed|connection/i.test(detail)) return "connection";
  return "provider";
}

/** Code of the protocol for a session that needs a login first. */
export const authRequired = -32_000;

/** With the last line the agent wrote to its standard error, which usually says why. */
function describe(error: unknown, errorOutput: string): string {
  const what = messageOf(error);
  const last = errorOutput.trimEnd().split("\n").at(-1) ?? "";
  return oneLine(last === "" ? what : `${what}: ${last}`);
}
