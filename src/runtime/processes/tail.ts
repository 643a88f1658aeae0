/** The last `capacity` bytes of whatever is pushed, in a fixed piece of memory. */
export class Tail {
  readonly #ring: Buffer;
  #pushed = 0;

  constructor(capacity: number) {
    this.#ring = Buffer.allocUnsafe(capacity);
  }

  push(bytes: Uint8Array): void {
    const size = this.#ring.length;
    const kept = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes;
    const at = (this.#pushed + bytes.length - kept.length) % size;
    const untilEnd = Math.min(kept.length, size - at);
    this.#ring.set(kept.subarray(0, untilEnd), at);
    this.#ring.set(kept.subarray(untilEnd), 0);
    this.#pushed += bytes.length;
  }

  /** The last `count` bytes, or all that are kept where there are fewer. */
  last(count: number): Buffer {
    const size = this.#ring.length;
    const length = Math.min(count, this.#pushed, size);
    const start = (this.#pushed - length) % size;
    if (start + length <= size) return Buffer.from(this.#ring.subarray(start, start + length));
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start + length - size)]);
  }
}
