import { limits } from "../../model/limits.ts";
import { type Automaton, compile } from "./automaton.ts";
import type { Forms } from "./forms.ts";
import { Scanner, type Span } from "./scanner.ts";

/** Masks a stream of bytes. What might be the beginning of a secret is held back until it is known. */
export interface Masker {
  /** What is certain so far; empty when everything is held back. */
  write(bytes: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

/** What one stream after another is searched with. */
export interface Patterns {
  readonly exact: Automaton;
  /**
   * Apart from the exact ones, since a line end inside one of these means nothing, and it may be part of one of those.
   */
  readonly foldable: Automaton;
}

export function compileForms(forms: readonly Forms[]): Patterns {
  return {
    exact: compile(forms.flatMap(({ exact }) => exact)),
    foldable: compile(forms.flatMap(({ foldable }) => foldable)),
  };
}

const mask = Buffer.from("***");

export const passThrough: Masker = { write: (bytes) => bytes, end: () => Buffer.alloc(0) };

/** Overlapping and touching finds become one mask. Holds back fewer bytes than the longest form with its line ends. */
export class StreamMasker implements Masker {
  readonly #exact: Scanner;
  readonly #foldable: Scanner;
  /** Bytes not given out yet; positions below count from its first byte. */
  #held: Buffer = Buffer.alloc(0);
  /** Finds not given out yet, ascending and apart: a longer secret may still swallow them. */
  #finds: readonly Span[] = [];
  #out: Buffer[] = [];
  /** Where in `#held` the part not yet given out begins. */
  #given = 0;

  constructor({ exact, foldable }: Patterns) {
    this.#exact = new Scanner(exact, 0);
    this.#foldable = new Scanner(foldable, limits.secretFoldBytes);
  }

  write(bytes: Uint8Array): Uint8Array {
    const start = this.#held.length;
    this.#held = start === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes]);
    const finds = [...this.#exact.scan(this.#held, start), ...this.#foldable.scan(this.#held, start)];
    if (finds.length > 0) this.#finds = united([...this.#finds, ...finds]);
    const end = this.#held.length;
    this.#giveUntil(Math.min(this.#exact.candidate(end), this.#foldable.candidate(end)));
    return this.#take();
  }

  end(): Uint8Array {
    this.#giveUntil(this.#held.length + 1);
    this.#exact.reset();
    this.#foldable.reset();
    return this.#take();
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
    this.#finds = this.#finds.slice(certain);
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
    this.#exact.drop(dropped);
    this.#foldable.drop(dropped);
    this.#finds = this.#finds.map(({ from, to }) => ({ from: from - dropped, to: to - dropped }));
    this.#given = 0;
    return out;
  }
}

/** Ascending and apart: what overlaps or touches is one. */
function united(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || last.to < span.from) apart.push(span);
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return apart;
}
