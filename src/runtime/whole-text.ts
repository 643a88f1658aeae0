import type { CapturedText } from "../model/outcome.ts";
import type { BlobStore } from "../ports/blobs.ts";

/** All that was said, where the store still has it; else its end. */
export async function wholeText({ text, blob }: CapturedText, blobs: Pick<BlobStore, "get">): Promise<string> {
  const bytes = blob === undefined ? null : await blobs.get(blob);
  return bytes === null ? text : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
