import { limits } from "../model/limits.ts";
import type { CapturedText } from "../model/outcome.ts";
import type { BlobStore } from "../ports/blobs.ts";
import { characterStart } from "../runtime/processes/characters.ts";

/**
 * As a journal holds a text: whole where it is short, else all of it in the store
 * and its end at hand. Rejects where it cannot be kept.
 */
export async function journaled(output: CapturedText, blobs: BlobStore): Promise<CapturedText> {
  const bytes = Buffer.from(output.text);
  if (bytes.length <= limits.inlineValueBytes) return output;
  const end = bytes.subarray(bytes.length - limits.inlineValueBytes);
  const text = end.subarray(characterStart(end, 0)).toString();
  return { ...output, text, blob: output.blob ?? (await blobs.put(bytes)) };
}
