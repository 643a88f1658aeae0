export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** Maps offsets of one text to lines and columns. Built once per text, each look-up is a binary search. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#text = text;
    this.#starts = starts;
  }

  get lines(): number {
    return this.#starts.length;
  }

  /** An offset outside the text is moved to its nearest end. */
  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.startOf(middle + 1) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - this.startOf(low + 1) + 1 };
  }

  /** Offset of the first character of a line (from 1). */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#text.length;
  }

  /** A line without its line break; empty outside the text. */
  lineText(line: number): string {
    if (line < 1 || line > this.#starts.length) return "";
    const end = line < this.#starts.length ? this.startOf(line + 1) - 1 : this.#text.length;
    return this.#text.slice(this.startOf(line), end).replace(/\r$/, "");
  }
}
