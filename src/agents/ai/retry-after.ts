import { limits } from "../../model/limits.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * How long a provider asked to wait, in milliseconds, from its answer's headers or body; null where it does not say.
 */
export function retryAfter(headers: Headers, body: string): number | null {
  const said = ofHeader(headers) ?? ofRetryInfo(body) ?? ofBuckets(headers);
  return said === null || !Number.isFinite(said) || said < 0 ? null : Math.ceil(said);
}

/** A date is measured against the response's own `date`, so that no clock is needed. */
function ofHeader(headers: Headers): number | null {
  const milliseconds = headers["retry-after-ms"];
  if (milliseconds !== undefined) return Number(milliseconds);
  const value = headers["retry-after"];
  if (value === undefined) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  return Date.parse(value) - Date.parse(headers["date"] ?? "");
}

/** `google.rpc.RetryInfo`, which Google sends in the body and nowhere else. */
function ofRetryInfo(body: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body.slice(0, limits.agentRefusalBytes))?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

/** OpenAI's counts of requests and tokens: when those that are used up are full again. */
function ofBuckets(headers: Headers): number | null {
  const waits = ["requests", "tokens"].flatMap((bucket) =>
    headers[`x-ratelimit-remaining-${bucket}`] === "0" ? duration(headers[`x-ratelimit-reset-${bucket}`] ?? "") : [],
  );
  return waits.length === 0 ? null : Math.max(...waits);
}

/** `1h2m3.5s`, `250ms`. */
function duration(text: string): readonly number[] {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return [];
  // Of the pattern.
  return [parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units], 0)];
}
