import { parseDuration, parseSize, printDuration, printSize, type Quantity } from "../language/quantity.ts";
import { quantity } from "../language/read/scalars.ts";
import type { Kept } from "./config.ts";

const age = String.raw`\d+(\.\d+)?\s*(ms|s|m|h|d)`;
const bytes = String.raw`\d+(\.\d+)?\s*(B|KiB|MiB|GiB|KB|MB|GB)`;

/** `30d`, `5GiB`, or both as `30d or 5GiB`. */
export const kept = quantity<Kept>(
  "an age, a size or both such as 30d or 5GiB",
  `^(${age}|${bytes}|${age}\\s+or\\s+${bytes}|${bytes}\\s+or\\s+${age})$`,
  parseKept,
  ({ ageMs, bytes: most }) =>
    [ageMs === undefined ? [] : printDuration(ageMs), most === undefined ? [] : printSize(most)].flat().join(" or "),
);

function parseKept(text: string): Quantity<Kept> {
  let found: Kept = {};
  for (const part of text.trim().split(/\s+or\s+/)) {
    const isSize = /(?:[KMG]i?)?B$/.test(part);
    const read = isSize ? parseSize(part) : parseDuration(part);
    if ("problem" in read) return read;
    const known = isSize ? found.bytes : found.ageMs;
    if (known !== undefined)
      return { problem: `names two ${isSize ? "sizes" : "ages"}`, hint: "Write one age, one size, or one of each." };
    found = isSize ? { ...found, bytes: read.value } : { ...found, ageMs: read.value };
  }
  return { value: found };
}
