import { limits } from "../model/limits.ts";

/** Takes known secrets out of a text. */
export type Mask = (text: string) => string;

/**
 * At most so many UTF-8 bytes of a text: its head and, larger, its tail, with a mark that says how much is left out.
 */
export function clip(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const head = Math.floor(maxBytes / 4);
  const tail = maxBytes - head;
  const cut = bytes.length - head - tail;
  return `${decode(bytes.subarray(0, head))}\n… ${cut} bytes left out …\n${decode(bytes.subarray(bytes.length - tail))}`;
}

/** Bytes cut out of a UTF-8 text, without the halves of a character at either end. */
function decode(bytes: Uint8Array): string {
  let start = 0;
  while (start < bytes.length && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true });
}

/** A text as one line for a reason: control characters and line ends become blanks; no trailing full stop; bounded. */
export function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replace(/\.$/, "");
  return line.length <= limits.faultTextCharacters ? line : `${line.slice(0, limits.faultTextCharacters - 1)}…`;
}
