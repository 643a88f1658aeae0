import { limits } from "../../model/limits.ts";
import type { Automaton } from "./automaton.ts";

/** Masks a stream of bytes. What might be the beginning of a secret is held back until it is known. */
export interface Masker {
  /** What is certain so far; empty when everything is held back. */
  write(bytes: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const mask = Buffer.from("***");
const lineFeed = 10;
const carriageReturn = 13;

export const passThrough: Masker = { write: (bytes) => bytes, end: () => Buffer.alloc(0) };

/** Overlapping and touching finds become one mask. Holds back fewer bytes than the longest form with its line ends. */
export class StreamMasker implements Masker {
  readonly #automaton: Automaton;
  #state = 0;
  /** Bytes not given out yet; positions below count from its first byte. */
  #held: Buffer = Buffer.alloc(0);
  /** Line ends passed over inside the beginning of a form, ascending. */
  #passed: number[] = [];
  /** Finds not given out yet, ascending and apart: a longer secret may still swallow them. */
  #finds: Span[] = [];
  #out: Buffer[] = [];
  /** Where in `#held` the part not yet given out begins. */
  #given = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  write(bytes: Uint8Array): Uint8Array {
    const start = this.#held.length;
    this.#held = start === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes]);
    this.#scan(start);
    this.#giveUntil(this.#startOfCandidate(this.#held.length, this.#automaton.depth[this.#state] ?? 0));
    return this.#take();
  }

  end(): Uint8Array {
    this.#giveUntil(this.#held.length + 1);
    this.#state = 0;
    return this.#take();
  }

  #scan(start: number): void {
    const { columns, width, next, match, folded } = this.#automaton;
    const bytes = this.#held;
    let state = this.#state;
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      const to = next[state * width + (columns[byte] ?? 0)] ?? 0;
      if (to === 0 && folded[state] === 1 && this.#passesOver(byte, at)) continue;
      state = to;
      if (state === 0) {
        if (this.#passed.length > 0) this.#passed = [];
        continue;
      }
      const length = match[state] ?? 0;
      if (length > 0) this.#found(this.#startOfCandidate(at + 1, length), at + 1);
    }
    this.#state = state;
  }

  #passesOver(byte: number, at: number): boolean {
    if (byte !== lineFeed && byte !== carriageReturn) return false;
    // A form is not spread over more than CR LF: what is held back stays bounded.
    if (this.#passed.at(-1) === at - 1 && this.#passed.at(-limits.secretFoldBytes) === at - limits.secretFoldBytes)
      return false;
    this.#passed.push(at);
    return true;
  }

  /** First byte of the last `length` bytes before `end`, line ends passed over not counted. */
  #startOfCandidate(end: number, length: number): number {
    let start = end - length;
    for (let index = this.#passed.length - 1; index >= 0 && (this.#passed[index] ?? 0) >= start; index -= 1) start -= 1;
    return start;
  }

  #found(from: number, to: number): void {
    let start = from;
    for (let last = this.#finds.at(-1); last !== undefined && last.to >= start; last = this.#finds.at(-1)) {
      start = Math.min(start, last.from);
      this.#finds.pop();
    }
    this.#finds.push({ from: start, to });
  }

  /** Any later find begins at `limit` or after it: what ends before it is certain. */
  #giveUntil(limit: number): void {
    let certain = 0;
    for (const { from, to } of this.#finds) {
      if (to >= limit) break;
      this.#givePlain(from);
      this.#out.push(mask);
      this.#given = to;
      certain += 1;
    }
    this.#finds.splice(0, certain);
    this.#givePlain(Math.min(limit, this.#finds[0]?.from ?? limit, this.#held.length));
  }

  #givePlain(end: number): void {
    if (end > this.#given) this.#out.push(this.#held.subarray(this.#given, end));
    this.#given = Math.max(this.#given, end);
  }

  #take(): Uint8Array {
    const [first, ...others] = this.#out;
    const out = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#out);
    const dropped = this.#given;
    this.#out = [];
    this.#held = Buffer.from(this.#held.subarray(dropped));
    this.#passed = this.#passed.map((at) => at - dropped).filter((at) => at >= 0);
    this.#finds = this.#finds.map(({ from, to }) => ({ from: from - dropped, to: to - dropped }));
    this.#given = 0;
    return out;
  }
}
