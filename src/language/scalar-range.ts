import type { Range } from "../model/diagnostic.ts";
import type { LocatedScalar } from "./tree.ts";

/**
 * Where a part of a scalar's value stands in the text. Folding, indentation and line ends only ever change white space, so the part is
 * found by counting the other characters; escapes of double quotes are decoded on the way.
 */
export function rangeWithin(text: string, scalar: LocatedScalar, from: number, to: number): Range {
  const value = String(scalar.value);
  const first = inkBefore(value, from);
  const last = inkBefore(value, Math.max(from, to - 1));
  const cursor = new InkCursor(text, scalar);
  const start = cursor.seek(first);
  const end = to - 1 > from ? cursor.seek(last) : start;
  if (start === null || end === null) return scalar.range;
  return { start: start.at, end: end.at + end.width };
}

function inkBefore(value: string, end: number): number {
  let count = 0;
  for (let i = 0; i < end && i < value.length; i += 1) if (!isBlank(value.charCodeAt(i))) count += 1;
  return count;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

interface Ink {
  readonly at: number;
  readonly width: number;
}

/** Steps over the source of a scalar, one UTF-16 unit of its value that is no white space at a time. */
class InkCursor {
  readonly #text: string;
  readonly #style: LocatedScalar["style"];
  readonly #end: number;
  #at: number;
  #count = 0;

  constructor(text: string, scalar: LocatedScalar) {
    this.#text = text;
    this.#style = scalar.style;
    this.#end = scalar.range.end;
    this.#at = scalar.range.start;
    if (scalar.style === "single" || scalar.style === "double") {
      this.#at += 1;
      this.#end -= 1;
    } else if (scalar.style === "block") {
      const headerEnd = text.indexOf("\n", this.#at);
      this.#at = headerEnd < 0 ? this.#end : headerEnd + 1;
    }
  }

  /** The unit with this index among those that are no white space; null past the end. */
  seek(index: number): Ink | null {
    while (this.#at < this.#end) {
      const { width, units, blank } = this.#unit();
      if (!blank && index < this.#count + units) return { at: this.#at, width };
      if (!blank) this.#count += units;
      this.#at += width;
    }
    return null;
  }

  #unit(): { readonly width: number; readonly units: number; readonly blank: boolean } {
    const here = this.#text[this.#at] ?? "";
    const next = this.#text[this.#at + 1] ?? "";
    if (this.#style === "single" && here === "'" && next === "'") return { width: 2, units: 1, blank: false };
    if (this.#style !== "double" || here !== "\\") return { width: 1, units: 1, blank: isBlank(here.charCodeAt(0)) };
    const digits = next === "x" ? 2 : next === "u" ? 4 : next === "U" ? 8 : 0;
    if (digits > 0) {
      const code = Number.parseInt(this.#text.slice(this.#at + 2, this.#at + 2 + digits), 16);
      return { width: 2 + digits, units: code > 0xffff ? 2 : 1, blank: isBlank(code) };
    }
    return { width: 2, units: 1, blank: " \t\n\rtnrvf".includes(next) };
  }
}
