/** Mulberry32: small, and the same on every machine. */
export function chances(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `most` of them at random, in their order. */
export function sample<T>(all: readonly T[], most: number, chance: () => number): readonly T[] {
  const left = all.map((item, at) => ({ item, at, rank: chance() }));
  return left
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Runs them all, so many at once. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
