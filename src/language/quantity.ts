import { limits } from "../model/limits.ts";
import type { Json } from "../model/json.ts";
import type { Money } from "../model/settings.ts";

/** A quantity that was read, or why not and what to write instead. */
export type Quantity<T> = { readonly value: T } | { readonly problem: string; readonly hint: string };

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const longUnits = [
  { pattern: /^(?:msecs?|millis|milliseconds?)$/i, short: "ms" },
  { pattern: /^(?:secs?|seconds?)$/i, short: "s" },
  { pattern: /^(?:mins?|minutes?)$/i, short: "m" },
  { pattern: /^(?:hrs?|hours?)$/i, short: "h" },
  { pattern: /^days?$/i, short: "d" },
];
const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
};
const countUnits: Readonly<Record<string, number>> = { "": 1, k: 1_000, M: 1_000_000 };

/** Reads `250ms`, `5s`, `10m`, `8h`, `3d` into milliseconds. A bare number is refused: it hides its unit. */
export function parseDuration(text: string): Quantity<number> {
  const hint = "Write a number with a unit: 250ms, 5s, 10m, 8h or 3d.";
  const parts = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const unit = parts?.[2] ?? "";
  if (parts?.[1] === undefined) return { problem: "is no duration", hint };
  if (unit === "")
    return { problem: "has no unit", hint: `Add a unit: ${parts[1]}s for seconds, ${parts[1]}m for minutes.` };
  const factor = Object.hasOwn(durationUnits, unit) ? durationUnits[unit] : undefined;
  if (factor === undefined) {
    const short = longUnits.find(({ pattern }) => pattern.test(unit))?.short;
    return {
      problem: `has the unknown unit \`${unit}\``,
      hint: short === undefined ? hint : `Write ${parts[1]}${short}.`,
    };
  }
  const value = Math.round(Number(parts[1]) * factor);
  if (value <= 0) return { problem: "is not longer than nothing", hint: "Write at least 1ms." };
  if (value > limits.durationMaxMs) return { problem: "is longer than 366 days", hint: "Write at most 366d." };
  return { value };
}

/** The form of a duration, for JSON Schema; how long it may be is not said there. */
export const durationPattern = String.raw`^\s*\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)\s*$`;

export function isDuration(value: Json): value is string {
  return typeof value === "string" && "value" in parseDuration(value);
}

/** Reads `64KiB`, `1MiB`, `500MB` into bytes. */
export function parseSize(text: string): Quantity<number> {
  const hint = "Write a number with a unit: 512B, 64KiB, 10MiB or 2GiB.";
  const parts = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const unit = parts?.[2] ?? "";
  if (parts?.[1] === undefined) return { problem: "is no size", hint };
  if (unit === "") return { problem: "has no unit", hint: `Add a unit: ${parts[1]}KiB or ${parts[1]}MiB.` };
  const factor = Object.hasOwn(sizeUnits, unit) ? sizeUnits[unit] : undefined;
  if (factor === undefined) return { problem: `has the unknown unit \`${unit}\``, hint };
  const value = Math.round(Number(parts[1]) * factor);
  return value > 0 && Number.isSafeInteger(value) ? { value } : { problem: "is out of range", hint };
}

/** Reads a count such as `500k`, `2M` or `1200`. */
export function parseCount(text: string): Quantity<number> {
  const hint = "Write a whole number, or one with k or M: 1200, 500k, 2M.";
  const parts = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const factor = parts && Object.hasOwn(countUnits, parts[2] ?? "") ? countUnits[parts[2] ?? ""] : undefined;
  if (parts === null || factor === undefined) return { problem: "is no count", hint };
  const value = Number(parts[1]) * factor;
  return Number.isSafeInteger(value) && value > 0 ? { value } : { problem: "is no whole number above 0", hint };
}

/** Reads `5 USD` or `0.50 EUR`. */
export function parseMoney(text: string): Quantity<Money> {
  const hint = "Write an amount and a currency: 5 USD or 0.50 EUR.";
  const parts = /^(\d+(?:\.\d{1,6})?)\s*([A-Za-z]*)$/.exec(text.trim());
  if (parts === null) return { problem: "is no amount of money", hint };
  if (!/^[A-Z]{3}$/.test(parts[2] ?? ""))
    return { problem: "has no currency", hint: `Add a currency: ${parts[1]} USD.` };
  const amount = Number(parts[1]);
  return amount > 0 ? { value: { amount, currency: parts[2] ?? "" } } : { problem: "is not above 0", hint };
}

/** Milliseconds in the largest unit that divides them. */
export function printDuration(value: number): string {
  return printUnits(value, durationUnits, ["d", "h", "m", "s"], "ms");
}

/** Bytes in the largest binary unit that divides them. */
export function printSize(value: number): string {
  return printUnits(value, sizeUnits, ["GiB", "MiB", "KiB"], "B");
}

export function printMoney({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}

function printUnits(
  value: number,
  factors: Readonly<Record<string, number>>,
  units: readonly string[],
  smallest: string,
): string {
  const unit = units.find((each) => value % (factors[each] ?? 1) === 0) ?? smallest;
  return `${value / (factors[unit] ?? 1)}${unit}`;
}
