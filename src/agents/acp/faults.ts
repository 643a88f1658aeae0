import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { ReasonCode } from "../../model/outcome.ts";
import { oneLine } from "../../runtime/text.ts";

/** Sorts what an agent answers in place of a result. Its own words decide where the protocol has no code. */
export function classify(error: unknown, errorOutput: string): { readonly code: ReasonCode; readonly text: string } {
  if (!(error instanceof RequestError)) return { code: "connection", text: describe(error, errorOutput) };
  const detail = error.data === undefined ? error.message : `${error.message} ${JSON.stringify(error.data)}`;
  return { code: codeOf(error.code, detail), text: oneLine(`the agent answered: ${detail}`) };
}

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
const authRequired = -32_000;

/** With the last line the agent wrote to its standard error, which usually says why. */
function describe(error: unknown, errorOutput: string): string {
  const what = error instanceof Error ? error.message : String(error);
  const last = errorOutput.trimEnd().split("\n").at(-1) ?? "";
  return oneLine(last === "" ? what : `${what}: ${last}`);
}
