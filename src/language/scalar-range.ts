import type { Range } from "../model/diagnostic.ts";
import type { LocatedScalar } from "./tree.ts";

/**
 * Finds where a part of a scalar's value stands in the text. Folding, indentation and line ends only ever change white
 * space, so the part is found by counting the other characters; escapes of double quotes are decoded on the way. Asking
 * for the parts of one scalar in ascending order walks it once.
 */
export class ScalarRanges {
  readonly #text: string;
  #scalar: LocatedScalar | undefined;
  #value = "";
  #valueAt = 0;
  #inkBefore = 0;
  #cursor: InkCursor;

  constructor(text: string) {
    this.#text = text;
    this.#cursor = new InkCursor(text, {
      kind: "scalar",
      range: { start: 0, end: 0 },
      value: "",
      source: "",
      style: "plain",
    });
  }

  within(scalar: LocatedScalar, from: number, to: number): Range {
    if (scalar !== this.#scalar || from < this.#valueAt) this.#restart(scalar);
    if (from >= this.#value.trimEnd().length) return atEnd(this.#text, scalar);
    const start = this.#cursor.seek(this.#inkTo(from));
    const end = to - 1 > from ? this.#cursor.peek(this.#inkWithin(from, to - 1)) : start;
    if (start === null || end === null) return scalar.range;
    return { start: start.at, end: end.at + end.width };
  }

  #restart(scalar: LocatedScalar): void {
    this.#scalar = scalar;
    this.#value = String(scalar.value);
    this.#valueAt = 0;
    this.#inkBefore = 0;
    this.#cursor = new InkCursor(this.#text, scalar);
  }

  #inkTo(offset: number): number {
    this.#inkBefore += inkBetween(this.#value, this.#valueAt, offset);
    this.#valueAt = offset;
    return this.#inkBefore;
  }

  #inkWithin(from: number, to: number): number {
    return this.#inkBefore + inkBetween(this.#value, from, to);
  }
}

/** Just behind the last character of a scalar. */
function atEnd(text: string, scalar: LocatedScalar): Range {
  let end = scalar.range.end;
  if (scalar.style === "single" || scalar.style === "double") end -= 1;
  while (end > scalar.range.start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return { start: end, end };
}

function inkBetween(value: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to && i < value.length; i += 1) if (!isBlank(value.charCodeAt(i))) count += 1;
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

  /** As {@link seek}, without moving on. */
  peek(index: number): Ink | null {
    const [at, count] = [this.#at, this.#count];
    const found = this.seek(index);
    this.#at = at;
    this.#count = count;
    return found;
  }

  /** The unit with this index among those that are no white space, counted from the first; null past the end. */
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
