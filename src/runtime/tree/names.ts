import { isUtf8 } from "node:buffer";

/**
 * A file name as text. A file system keeps bytes, and those that are no UTF-8 stand as lone surrogates (U+DC80 to
 * U+DCFF, as PEP 383 does it), so that no two names read alike and {@link nameBytes} finds the file again.
 */
export function nameText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const character = bytes.subarray(at, at + sequenceLength(bytes[at] ?? 0));
    if (isUtf8(character)) {
      text += character.toString();
      at += character.length;
    } else {
      text += String.fromCharCode(escapeBase + (bytes[at] ?? 0));
      at += 1;
    }
  }
  return text;
}

/** What the file system is asked for: the bytes that {@link nameText} read. */
export function nameBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    Array.from(text, (character) =>
      character.isWellFormed() ? Buffer.from(character) : Buffer.of(character.charCodeAt(0) - escapeBase),
    ),
  );
}

/** As it stands in a sentence: one that would break it, or look like another, is quoted. */
export function shownName(text: string): string {
  return /[\p{Cc}\p{Cf}"]|^$|^\s|\s$/u.test(text) || !text.isWellFormed() ? JSON.stringify(text) : text;
}

const escapeBase = 0xdc00;

/** How many bytes the character takes that begins with this one. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
