import { getRandomValues } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

/**
 * Crockford's base 32 (https://www.crockford.com/base32.html), lower case:
 * nothing in it is mistaken for something else.
 */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
/** 2025-01-01T00:00Z. Nine digits from here reach beyond the year 3100. */
const epochMs = 1_735_689_600_000;
const timeDigits = 9;
/** Nothing else keeps apart what two processes begin in one millisecond: they name it alike once in 2^29 times. */
const chanceDigits = 6;
const chances = digits.length ** chanceDigits;

/**
 * Ids of fifteen characters that sort by creation time and are easy to type.
 * Two of one millisecond in one process sort too.
 */
export function systemIds(clock: Pick<Clock, "wall">): Ids {
  let lastTime = -1;
  let lastChance = -1;
  return {
    random: () => chance(2 ** 32) / 2 ** 32,
    run() {
      const now = Math.max(clock.wall() - epochMs, lastTime, 0);
      const full = now === lastTime && lastChance + 1 === chances;
      const time = full ? now + 1 : now;
      lastChance = time === lastTime ? lastChance + 1 : chance(chances / 2);
      lastTime = time;
      return encode(time, timeDigits) + encode(lastChance, chanceDigits);
    },
  };
}

/** The same ids and the same chances every time. */
export function countedIds(): Ids {
  let runs = 0;
  return {
    run: () => `run${encode((runs += 1), timeDigits + chanceDigits - 3)}`,
    random: () => 0.5,
  };
}

function chance(below: number): number {
  const [value = 0] = getRandomValues(new Uint32Array(1));
  return value % below;
}

function encode(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length))
    text = `${digits[rest % digits.length]}${text}`;
  return text;
}
