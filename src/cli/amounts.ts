import type { Money } from "../model/settings.ts";

/** A whole number of at most nine digits, `least` or more; null where the text is none. */
export function wholeNumber(text: string, least: number): number | null {
  const value = Number(text);
  return /^\d{1,9}$/.test(text) && value >= least ? value : null;
}

/** `5 USD`, nothing included; null where the text is no such amount. */
export function amountOfMoney(text: string): Money | null {
  const read = /^(\d{1,9}(?:\.\d{1,6})?) ?([A-Z]{3})$/.exec(text);
  return read === null ? null : { amount: Number(read[1]), currency: read[2] ?? "" };
}
