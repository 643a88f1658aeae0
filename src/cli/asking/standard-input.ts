import { isUtf8 } from "node:buffer";

/** Why what came is no text that can be taken. */
export type Unread = { readonly unread: "too long" | "no text" };

/**
 * All of standard input as text of at most so many bytes, without the line break at its end that `echo` adds and
 * without the mark of UTF-8 at its beginning that editors add.
 */
export async function standardInput(maxBytes: number): Promise<string | Unread> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array); // a stream without an encoding gives bytes
    chunks.push(bytes);
    total += bytes.length;
    if (total > maxBytes) return { unread: "too long" };
  }
  const all = Buffer.concat(chunks, total);
  return isUtf8(all) ? all.toString().replace(/^\uFEFF|\r?\n$/g, "") : { unread: "no text" };
}
