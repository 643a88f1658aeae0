/** What JSON leaves as it is and a terminal may obey: DEL, the C1 controls, and the characters that reorder text. */
const active = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** One line of JSON for standard output, the same value to a program and inert on a terminal. */
export function jsonLine(value: object, indent?: number): string {
  return `${JSON.stringify(value, null, indent).replace(active, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
