/** Number of bytes at the end of `bytes` that begin a UTF-8 character which is not complete yet; 0 to 3. */
export function openCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** First offset at or after `from` where a character begins. */
export function characterStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < from + 3 && isContinuation(bytes[at] ?? 0)) at += 1;
  // Three continuation bytes and more are no UTF-8: leave them to the decoder.
  return isContinuation(bytes[at] ?? 0) ? from : at;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** Hands a stream on in whole characters, so that two streams put together never cut one another's. */
export class WholeCharacters {
  #open: Uint8Array = new Uint8Array();

  write(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    const all = this.#open.length === 0 ? bytes : Buffer.concat([this.#open, bytes]);
    const end = all.length - openCharacterBytes(all);
    this.#open = all.slice(end);
    return all.subarray(0, end);
  }

  end(): Uint8Array {
    const rest = this.#open;
    this.#open = new Uint8Array();
    return rest;
  }
}
