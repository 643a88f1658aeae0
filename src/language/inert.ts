// Controls of C0 and C1, line and paragraph separators, and marks that turn the direction of text.
const obeyed = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text on one line with nothing that a terminal would obey; as many UTF-16 units as before. */
export function inert(text: string): string {
  return text.replaceAll("\t", " ").replace(obeyed, "·");
}
