/** CSI, OSC, and the other escape sequences of ECMA-48. */
const escapes =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
/** C0 and C1 controls but tab and newline, and the characters that reorder text. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** SGR. */
const colour = /^\u001b\[[\d;]*m$/;

/** Text that does nothing on a terminal: no colours, no cursor, no titles, no bidirectional tricks. Lines stay. */
export function inert(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(escapes, "").replace(controls, "");
}

/** As {@link inert}, but colours stay. */
export function coloured(text: string): string {
  const plain = (between: string) => between.replace(controls, "");
  let shown = "";
  let from = 0;
  const lines = text.replace(/\r\n?/g, "\n");
  for (const { index, 0: escape } of lines.matchAll(escapes)) {
    shown += plain(lines.slice(from, index)) + (colour.test(escape) ? escape : "");
    from = index + escape.length;
  }
  return shown + plain(lines.slice(from));
}

/** What ends a line, what a terminal obeys, and what reorders text. */
const obeyed = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text on one line in which what a terminal would obey is seen, as in JSON: nobody's text makes a line of its own. */
export function escaped(text: string): string {
  return text.replace(obeyed, (one) => {
    const short = JSON.stringify(one).slice(1, -1);
    return short === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}` : short;
  });
}

/** As {@link inert}, on one line. */
export function inertLine(text: string): string {
  return inert(text).replace(/\s+/g, " ");
}

/**
 * The last line that says something, inert and without surrounding blanks. A
 * carriage return starts the line anew, as on a terminal.
 */
export function lastLine(text: string): string {
  const lines = inert(text).split("\n");
  const line = lines.findLast((one) => one.trim() !== "") ?? "";
  return line.trim().replace(/\t/g, " ");
}
