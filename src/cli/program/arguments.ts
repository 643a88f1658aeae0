import { InvalidArgumentError } from "commander";
import type { Money } from "../../model/settings.ts";

/** For an option that may be given again. */
export function collect(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, value];
}

/** A text that an unset variable of a script did not leave empty. */
export function filled(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** A whole number of at most nine digits. */
export function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}

/** A whole number up to 100. */
export function percent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 100.");
}

/** `5 USD`. */
export function money(text: string): Money {
  const read = /^(\d{1,9}(?:\.\d{1,6})?) ?([A-Z]{3})$/.exec(text);
  if (read === null) throw new InvalidArgumentError("It must be an amount such as 5 USD.");
  return { amount: Number(read[1]), currency: read[2] ?? "" };
}

/** One of a few words. */
export function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((one) => one === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
  };
}
