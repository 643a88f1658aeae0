/** Code points from the first to the last, both included. */
export type Span = readonly [number, number];

const lastCode = 0x10ffff;

export const digits: readonly Span[] = [[0x30, 0x39]];
export const words: readonly Span[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** White space and line ends of ECMAScript. */
export const spaces: readonly Span[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** By position, those that touch made one. */
export function sorted(spans: readonly Span[]): readonly Span[] {
  const merged: [number, number][] = [];
  for (const [first, last] of spans.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** All other code points; of spans in order that do not touch. */
export function invert(spans: readonly Span[]): readonly Span[] {
  const others: Span[] = [];
  let next = 0;
  for (const [first, last] of spans) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  return next > lastCode ? others : [...others, [next, lastCode]];
}

export function holds(spans: readonly Span[], code: number): boolean {
  return spans.some(([first, last]) => first <= code && code <= last);
}
