import { hash } from "node:crypto";

/** What the first record of a run is chained to. */
export const genesis = "0".repeat(64);

/** A record as it is stored; `body` is the very text that was hashed, so no canonical form has to be agreed on. */
export interface StoredRecord {
  /** Number of its first event. */
  readonly seq: number;
  readonly events: number;
  readonly at: number;
  readonly version: number;
  readonly body: string;
}

/** SHA-256 in hex over the hash before and every field of the record. It proves integrity, not who wrote it. */
export function chain(previous: string, run: string, record: StoredRecord): string {
  return hash(
    "sha256",
    `${previous}\n${run}\n${record.seq}\n${record.events}\n${record.at}\n${record.version}\n${record.body}`,
    "hex",
  );
}

/** SHA-256 of a text. */
export function textHash(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
