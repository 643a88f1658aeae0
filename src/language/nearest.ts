import { limits } from "../model/limits.ts";
import { meaningOf } from "./elsewhere.ts";

/** The candidate that a mistyped word most likely means, or undefined when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  const reach = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    // Words that share nothing are not close, however short they are.
    if (distance < bestDistance && distance < Math.max(candidate.length, wanted.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance (a swap counts one); gives up at `bound`. */
function editDistance(a: string, b: string, bound: number): number {
  if (a === b) return 0;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= bound) return bound;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * Makes "; did you mean `x`?" for one check. It falls silent after so many comparisons that nobody would read the rest,
 * because each word is compared with every candidate.
 */
export class Suggestions {
  #left = limits.nameComparisons;

  readonly suggest = (word: string, candidates: Iterable<string>): string => didYouMean(this.nearest(word, candidates));

  readonly nearest = (word: string, candidates: Iterable<string>): string | undefined => {
    if (this.#left <= 0) return undefined;
    const all = new Set(candidates);
    this.#left -= all.size;
    return meaningOf(word, all) ?? nearest(word, all);
  };
}

export function didYouMean(match: string | undefined): string {
  return match === undefined ? "" : `; did you mean \`${match}\`?`;
}

/** `a`, `b` or `c`; cut after `most` with the number left out. */
export function oneOfWords(words: readonly string[], most: number = limits.wordsNamed): string {
  const shown = words.slice(0, most).map((word) => `\`${word}\``);
  if (words.length > most) return `${shown.join(", ")} and ${words.length - most} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}
