import { limits } from "../../model/limits.ts";
import measure from "fast-string-truncated-width";
import type { Output } from "../output.ts";

/** Made on first use: it loads tables that plain text never needs. */
let segmenter: Intl.Segmenter | undefined;
const printable = /^[\u0020-\u007e]*$/;

/** Columns a text takes on a terminal: wide characters and emoji count two, escape sequences none. */
export function width(text: string): number {
  return printable.test(text) ? text.length : measure(text).width;
}

/** Columns for a line of a list: as many as it needs where no terminal would wrap it. */
export function lineColumns(output: Output): number {
  return output.terminal ? output.size().columns : Number.MAX_SAFE_INTEGER;
}

/**
 * The text cut to so many columns, with an ellipsis where something was cut.
 * Never splits what a person sees as one character.
 */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return "";
  const near = text.slice(0, (columns + 1) * limits.columnUnits);
  if (near.length === text.length && width(text) <= columns) return text;
  if (printable.test(near)) return `${near.slice(0, columns - 1)}…`;
  let kept = "";
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(near)) {
    if (width(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** As {@link fit}, filled up with blanks. */
export function pad(text: string, columns: number): string {
  const short = fit(text, columns);
  return short + " ".repeat(Math.max(0, columns - width(short)));
}
