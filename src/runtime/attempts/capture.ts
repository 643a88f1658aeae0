import { characterStart } from "../processes/characters.ts";
import { limits } from "../../model/limits.ts";
import type { CapturedText } from "../../model/outcome.ts";
import type { BlobStore } from "../../ports/blobs.ts";

/**
 * A text as a result keeps it: whole where it is short; else its tail, from the
 * beginning of a character on, and all of it as a blob.
 */
export async function captureText(text: string, blobs: BlobStore): Promise<CapturedText> {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limits.inlineValueBytes) return { text, bytes: bytes.length };
  const start = characterStart(bytes, bytes.length - limits.inlineValueBytes);
  return { text: bytes.subarray(start).toString("utf8"), bytes: bytes.length, blob: await blobs.put(bytes) };
}
