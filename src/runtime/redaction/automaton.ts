/**
 * Many forms as one automaton (Aho and Corasick, 1975): one table step a byte, however many there are.
 * States are numbered breadth first; 0 is the root.
 */
export interface Automaton {
  /** Column of a byte; 0 for bytes that occur in no form. */
  readonly columns: Uint8Array;
  readonly width: number;
  /** `next[state * width + column]`. */
  readonly next: Uint32Array;
  /** Bytes of the longest beginning of a form that the state stands for. */
  readonly depth: Uint32Array;
  /** Bytes of the longest form that ends here; 0 for none. */
  readonly match: Uint32Array;
  /** `opens[first << 8 | second]`: 0 where no form begins with these bytes, nor with the first and a line end. */
  readonly opens: Uint8Array;
}

export const lineFeed = 10;
export const carriageReturn = 13;

/** Each form has two bytes or more. */
export function compile(forms: readonly Buffer[]): Automaton {
  const { columns, width } = columnsOf(forms);
  const states = 1 + forms.reduce((sum, { length }) => sum + length, 0);
  const automaton: Automaton = {
    columns,
    width,
    next: new Uint32Array(states * width),
    depth: new Uint32Array(states),
    match: new Uint32Array(states),
    opens: openingsOf(forms),
  };
  let used = 1;
  for (const form of forms) used = addForm(automaton, form, used);
  linkFailures(automaton, used);
  return automaton;
}

function columnsOf(forms: readonly Buffer[]): { columns: Uint8Array; width: number } {
  const columns = new Uint8Array(256);
  let width = 1;
  for (const form of forms) {
    for (const byte of form) {
      if (columns[byte] !== 0) continue;
      // All 256 byte values in use would need column 256; UTF-8 has fewer than 256.
      columns[byte] = width;
      width += 1;
    }
  }
  return { columns, width };
}

function openingsOf(forms: readonly Buffer[]): Uint8Array {
  const opens = new Uint8Array(256 * 256);
  for (const [first = 0, second = 0] of forms)
    for (const next of [second, lineFeed, carriageReturn]) opens[(first << 8) | next] = 1;
  return opens;
}

function addForm({ columns, width, next, depth, match }: Automaton, form: Buffer, used: number): number {
  let state = 0;
  let free = used;
  for (const [at, byte] of form.entries()) {
    const cell = state * width + at8(columns, byte);
    if (at32(next, cell) === 0) {
      next[cell] = free;
      depth[free] = at + 1;
      free += 1;
    }
    state = at32(next, cell);
  }
  match[state] = form.length;
  return free;
}

/** Breadth first, so that the state a miss falls back to is complete when it is read. */
function linkFailures({ width, next, match }: Automaton, states: number): void {
  const fallback = new Uint32Array(states);
  const queue = new Uint32Array(states);
  let end = 1;
  for (let at = 0; at < end; at += 1) {
    const state = at32(queue, at);
    const back = at32(fallback, state);
    if (at32(match, state) === 0) match[state] = at32(match, back);
    for (let column = 1; column < width; column += 1) {
      const child = at32(next, state * width + column);
      const missed = state === 0 ? 0 : at32(next, back * width + column);
      if (child === 0) {
        next[state * width + column] = missed;
      } else {
        fallback[child] = missed;
        queue[end] = child;
        end += 1;
      }
    }
  }
}

function at32(table: Uint32Array, index: number): number {
  return table[index] ?? 0;
}

function at8(table: Uint8Array, index: number): number {
  return table[index] ?? 0;
}
