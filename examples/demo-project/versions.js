/** Orders two releases such as "1.9.3" and "1.10.0", older first. */
export function compare(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The newest of the releases. */
export function newest(releases) {
  return releases.toSorted(compare).at(-1);
}
