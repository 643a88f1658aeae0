import { InvalidArgumentError } from "commander";
import type { Money } from "../../model/settings.ts";
import { amountOfMoney, wholeNumber } from "../amounts.ts";

/** For an option that may be given again. */
export function collect(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, value];
}

/** A text that an unset variable of a script did not leave empty. */
export function filled(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

export function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text, least);
    if (value !== null) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}

/** A whole number up to 100. */
export function percent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 100.");
}

export function money(text: string): Money {
  const amount = amountOfMoney(text);
  if (amount !== null) return amount;
  throw new InvalidArgumentError("It must be an amount such as 5 USD.");
}

/** One of a few words. */
export function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((one) => one === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
  };
}
