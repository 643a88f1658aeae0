/**
 * The number at an index that is in range by construction; spares a check that the type system cannot drop by itself.
 */
export function at(list: Int32Array | Uint32Array | Uint8Array, index: number): number {
  return list[index] as number;
}

/** The item at an index that is in range by construction; throws where that is a bug. */
export function item<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no item ${index} of ${list.length}`);
  return found;
}
