import { type Automaton, carriageReturn, lineFeed } from "./automaton.ts";

/** Bytes from `from` to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds forms in a stream of bytes, of which it is handed all that were not dropped yet. Inside a form it passes over
 * line ends, at most `foldBytes` of them in a row: what may be the beginning of one stays bounded.
 */
export class Scanner {
  readonly #automaton: Automaton;
  readonly #foldBytes: number;
  #state = 0;
  /** Line ends passed over inside the beginning of a form, ascending. */
  #passed: number[] = [];

  constructor(automaton: Automaton, foldBytes: number) {
    this.#automaton = automaton;
    this.#foldBytes = foldBytes;
  }

  /** Finds that end in the bytes from `start` on, in the order of their ends; they may overlap. */
  scan(bytes: Uint8Array, start: number): readonly Span[] {
    const { columns, width, next, match, opens } = this.#automaton;
    const finds: Span[] = [];
    let state = this.#state;
    for (let at = start; at < bytes.length; at += 1) {
      if (state === 0) at = firstOpening(opens, bytes, at);
      const byte = bytes[at] ?? 0;
      if (state !== 0 && (byte === lineFeed || byte === carriageReturn) && this.#passesOver(at)) continue;
      state = next[state * width + (columns[byte] ?? 0)] ?? 0;
      if (state === 0) {
        if (this.#passed.length > 0) this.#passed = [];
        continue;
      }
      const length = match[state] ?? 0;
      if (length > 0) finds.push({ from: this.#startOf(at + 1, length), to: at + 1 });
    }
    this.#state = state;
    return finds;
  }

  /** Where a find that is not complete at `end` may begin. */
  candidate(end: number): number {
    return this.#startOf(end, this.#automaton.depth[this.#state] ?? 0);
  }

  /** From now on the first `count` bytes are not handed in any more. */
  drop(count: number): void {
    this.#passed = this.#passed.map((at) => at - count).filter((at) => at >= 0);
  }

  reset(): void {
    this.#state = 0;
    this.#passed = [];
  }

  #passesOver(at: number): boolean {
    const most = this.#foldBytes;
    if (most === 0 || (this.#passed.at(-1) === at - 1 && this.#passed.at(-most) === at - most)) return false;
    this.#passed.push(at);
    return true;
  }

  /** First byte of the last `length` bytes before `end`, line ends passed over not counted. */
  #startOf(end: number, length: number): number {
    let start = end - length;
    for (let index = this.#passed.length - 1; index >= 0 && (this.#passed[index] ?? 0) >= start; index -= 1) start -= 1;
    return start;
  }
}

/**
 * From `at` on the first byte that may begin a form, at the latest the last one. The root is left for the
 * same state by what is passed here and the byte after it as by that byte alone.
 */
function firstOpening(opens: Uint8Array, bytes: Uint8Array, at: number): number {
  const last = bytes.length - 1;
  let place = at;
  for (let first = bytes[at] ?? 0; place < last; place += 1) {
    const second = bytes[place + 1] ?? 0;
    if (opens[(first << 8) | second] !== 0) break;
    first = second;
  }
  return place;
}
