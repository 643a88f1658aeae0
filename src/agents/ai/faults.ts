import { APICallError, InvalidResponseDataError, StreamProviderError } from "ai";
import { limits } from "../../model/limits.ts";
import type { Reason, ReasonCode } from "../../model/outcome.ts";
import { rootMessageOf } from "../../model/thrown.ts";
import { oneLine } from "../../runtime/text.ts";
import { retryAfter } from "./retry-after.ts";

/** Why a call of a model has no answer. Always an error, never a success. */
export interface Fault {
  readonly reason: Reason;
  readonly retryAfterMs?: number;
}

/** Sorts what the SDK throws or streams. */
export function classify(error: unknown): Fault {
  if (APICallError.isInstance(error)) return apiFault(error);
  if (StreamProviderError.isInstance(error)) {
    const detail = [error.type, error.code, error.message].filter((part) => part !== undefined).join(" ");
    return fault(codeOf(error.statusCode, detail), error.message);
  }
  if (InvalidResponseDataError.isInstance(error))
    return fault("connection", `what the provider sent is no whole answer of a model: ${error.message}`);
  if (isConnection(error)) return broken(error);
  return fault("provider", error instanceof Error ? error.message : JSON.stringify(error));
}

/** The response ended in order, but without saying why the model stopped. */
export function cutShort(detail: string): Fault {
  return fault("connection", `the provider's answer was cut short: ${detail}`);
}

export function contextOverflow(): Fault {
  return fault("context_overflow", "the conversation no longer fits the model's context");
}

function broken(error: unknown): Fault {
  return fault("connection", `the connection to the provider broke: ${rootMessageOf(error)}`);
}

function apiFault(error: APICallError): Fault {
  const body = error.responseBody ?? "";
  if (error.statusCode === undefined)
    return fault("connection", `the provider cannot be reached: ${rootMessageOf(error)}`);
  // The status came in order, the body did not.
  if (error.statusCode < 300) return isConnection(error) ? broken(error) : fault("provider", rootMessageOf(error));
  const detail = `${error.message} ${body}`;
  const code = codeOf(error.statusCode, detail);
  const text = `the provider answered ${error.statusCode} ${error.message}${whatToTry(code, error.statusCode)}`;
  if (code !== "quota" && code !== "overloaded") return fault(code, text);
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, body) ?? unsaid(error.statusCode, detail);
  if (retryAfterMs === null) return fault(code, text);
  return { ...fault(code, `${text} (to be tried again in ${Math.ceil(retryAfterMs / 1000)} s)`), retryAfterMs };
}

function whatToTry(code: ReasonCode, status: number): string {
  if (code === "auth") return "; trammel doctor --probe tries the key";
  return status === 404 ? "; see whether the name of the model is right, and the address" : "";
}

/** Too many requests are fewer in a while; an account that is used up is not, before somebody pays. */
function unsaid(status: number, detail: string): number | null {
  return status === 429 && !/insufficient_quota|billing|credit|payment/i.test(detail)
    ? limits.quotaWaitDefaultMs
    : null;
}

const overflow =
  /context[_ ]?(length|window)|maximum context|prompt is too long|too many (input )?tokens|input token count.*exceeds|request_too_large|exceeds? the (model's )?context/i;

function codeOf(status: number | undefined, detail: string): ReasonCode {
  if (overflow.test(detail) || status === 413) return "context_overflow";
  if (status === 401 || status === 403 || /authentication_error|permission_error|invalid_api_key/i.test(detail))
    return "auth";
  if (status === 402 || status === 429 || /rate_limit|insufficient_quota|RESOURCE_EXHAUSTED/i.test(detail))
    return "quota";
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) return "overloaded";
  return /overloaded|server_error|api_error|UNAVAILABLE|INTERNAL/i.test(detail) && status === undefined
    ? "overloaded"
    : "provider";
}

const connectionCodes =
  /^(E(CONN|PIPE|HOST|NET|NOTFOUND|AI_|TIMEDOUT|PROTO)|UND_ERR|CERT_|SELF_SIGNED|DEPTH_ZERO|ERR_(SSL|TLS|STREAM|HTTP2))/;

function isConnection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string" && connectionCodes.test(at.code)) return true;
    if (at.name === "AbortError" || at.name === "TimeoutError") return true;
    if (at instanceof TypeError && /terminated|fetch failed|network|other side closed/i.test(at.message)) return true;
  }
  return false;
}

function fault(code: ReasonCode, text: string): Fault {
  return { reason: { code, text: oneLine(text) } };
}
