import { at } from "./ints.ts";

/** A set of small integers, one bit each. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((at(bits, index >>> 5) >>> (index & 31)) & 1) === 1;
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5] = at(bits, index >>> 5) | (1 << (index & 31));
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >>> 5] = at(bits, index >>> 5) & ~(1 << (index & 31));
}

/** The place of the lowest bit of a word that is not 0. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** In order. */
export function* membersOf(bits: Bits): Generator<number> {
  for (let word = 0; word < bits.length; word += 1) {
    for (let left = at(bits, word); left !== 0; left &= left - 1) yield (word << 5) + lowestBit(left);
  }
}

/** The smallest member of both that is not `except`, or -1. */
export function firstCommon(a: Bits, b: Bits, except: number): number {
  for (let word = 0; word < a.length; word += 1) {
    let common = at(a, word) & at(b, word);
    while (common !== 0) {
      const index = (word << 5) + lowestBit(common);
      if (index !== except) return index;
      common &= common - 1;
    }
  }
  return -1;
}

/** An immutable set of nodes: sorted members, and bits where those are smaller than a search is worth. */
export class NodeSet {
  readonly members: Int32Array;
  readonly #bits: Bits | null;

  constructor(members: Int32Array, universe: number) {
    this.members = members.toSorted();
    this.#bits = members.length * 32 < universe ? null : emptyBits(universe);
    if (this.#bits !== null) for (const node of members) setBit(this.#bits, node);
  }

  has(node: number): boolean {
    if (this.#bits !== null) return hasBit(this.#bits, node);
    let low = 0;
    let high = this.members.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(this.members, middle) < node) low = middle + 1;
      else high = middle;
    }
    return this.members[low] === node;
  }
}
