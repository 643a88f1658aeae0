/**
 * Content-addressed bytes, named by the hex SHA-256 of their content. What cannot be kept or
 * read rejects with an Error whose message is for people.
 */
export interface BlobStore {
  /** Durable when it resolves; putting the same content twice is one blob. */
  put(bytes: Uint8Array): Promise<string>;
  /** A blob written piece by piece, for output larger than memory should hold. */
  writer(): BlobWriter;
  /** Null when there is no such blob. */
  get(hash: string): Promise<Uint8Array | null>;
  /** Whether there is such a blob; if so, it counts as put again, and no sweep at work takes it. */
  keep(hash: string): Promise<boolean>;
  /** Absolute path of an existing blob, for people and for `<NAME>_FILE`. */
  pathOf(hash: string): string;
}

export interface BlobWriter {
  /** False once nothing more can be kept; `close` then says why. */
  write(bytes: Uint8Array): boolean;
  /** Durable when it resolves. */
  close(): Promise<string>;
  discard(): Promise<void>;
}
