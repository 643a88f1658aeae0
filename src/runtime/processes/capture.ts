import { limits } from "../../model/limits.ts";
import type { CapturedText } from "../../model/outcome.ts";
import type { BlobStore, BlobWriter } from "../../ports/blobs.ts";
import { characterStart, openCharacterBytes } from "./characters.ts";
import { Tail } from "./tail.ts";

/**
 * Keeps what a stream says in bounded memory: up to `limits.inlineValueBytes` here, more in
 * the blob store, and of more than `limitBytes` the beginning and the last
 * `limits.outputTailBytes` with a mark between them. Pieces are whole characters.
 */
export class Capture {
  readonly #blobs: BlobStore;
  readonly #limitBytes: number;
  readonly #tailBytes: number;
  #inline: Uint8Array[] = [];
  #spill: Spill | null = null;
  #bytes = 0;

  constructor(blobs: BlobStore, limitBytes: number) {
    this.#blobs = blobs;
    this.#limitBytes = limitBytes;
    this.#tailBytes = Math.min(limits.outputTailBytes, Math.floor(limitBytes / 2));
  }

  /** False once the blob store can keep no more; {@link finish} then rejects. */
  write(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#spill !== null) return this.#spill.write(bytes);
    this.#inline.push(bytes);
    if (this.#bytes <= Math.min(limits.inlineValueBytes, this.#limitBytes)) return true;
    this.#spill = new Spill(this.#blobs.writer(), this.#limitBytes - this.#tailBytes, this.#tailBytes);
    const sofar = this.#inline;
    this.#inline = [];
    return sofar.every((piece) => this.#spill?.write(piece));
  }

  /** Rejects where the text could not be kept. */
  async finish(): Promise<CapturedText> {
    if (this.#spill === null) return this.#short();
    const cut = this.#bytes > this.#limitBytes;
    const blob = await this.#spill.close(cut, this.#bytes);
    const shownBytes = cut ? Math.min(limits.inlineValueBytes, this.#tailBytes) : limits.inlineValueBytes;
    return { text: this.#spill.end(shownBytes).toString(), bytes: this.#bytes, blob, ...(cut && { cut }) };
  }

  /** Text that does not say all that its bytes did goes to the store as well. */
  async #short(): Promise<CapturedText> {
    const bytes = Buffer.concat(this.#inline);
    const text = bytes.toString();
    const isExact = !text.includes("\uFFFD") || Buffer.from(text).equals(bytes);
    return { text, bytes: this.#bytes, ...(!isExact && { blob: await this.#blobs.put(bytes) }) };
  }

  /** After {@link finish} rejected: the end of the text, which is all there is now. */
  async remains(): Promise<CapturedText> {
    if (this.#spill === null) return { text: Buffer.concat(this.#inline).toString(), bytes: this.#bytes };
    await this.#spill.discard();
    return { text: this.#spill.end(limits.inlineValueBytes).toString(), bytes: this.#bytes, cut: true };
  }
}

/** Beginning straight into a blob, end in a ring. */
class Spill {
  readonly #writer: BlobWriter;
  readonly #headBytes: number;
  readonly #limitBytes: number;
  readonly #tail: Tail;
  #written = 0;
  #headFull = false;

  constructor(writer: BlobWriter, headBytes: number, tailBytes: number) {
    this.#writer = writer;
    this.#headBytes = headBytes;
    this.#limitBytes = headBytes + tailBytes;
    // The head ends at a whole character, up to three bytes early.
    this.#tail = new Tail(tailBytes + 3);
  }

  write(bytes: Uint8Array): boolean {
    this.#tail.push(bytes);
    if (this.#headFull) return true;
    const room = this.#headBytes - this.#written;
    this.#headFull = bytes.length > room;
    const part = bytes.subarray(0, room);
    const whole = this.#headFull ? part.subarray(0, part.length - openCharacterBytes(part)) : part;
    this.#written += whole.length;
    return this.#writer.write(whole);
  }

  /** `bytes` came in all; of what is cut, as much of the end is kept as the limit leaves. */
  close(cut: boolean, bytes: number): Promise<string> {
    const tail = cut ? this.end(this.#limitBytes - this.#written) : this.#tail.last(bytes - this.#written);
    if (cut) this.#writer.write(Buffer.from(cutMark(bytes - this.#written - tail.length)));
    this.#writer.write(tail);
    return this.#writer.close();
  }

  /** The last `count` bytes, less a character cut at their beginning. */
  end(count: number): Buffer {
    const tail = this.#tail.last(count);
    return tail.subarray(characterStart(tail, 0));
  }

  discard(): Promise<void> {
    return this.#writer.discard();
  }
}

function cutMark(bytes: number): string {
  return `\n[… ${bytes} bytes cut; limits.output keeps more …]\n`;
}
