import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { systemCode } from "../../model/thrown.ts";
import type { BlobStore, BlobWriter } from "../../ports/blobs.ts";
import { BlobFailure } from "./failure.ts";
import { isHash, pathIn, removeAbandoned, temporaryFolder, touched } from "./layout.ts";
import { FileBlobWriter } from "./writer.ts";

/**
 * Blobs as files of `folder`, which is made (0700) when the first one is
 * written. Rejects with {@link BlobFailure} only.
 */
export function fileBlobs(folder: string): BlobStore {
  let made = false;
  const writer = (): BlobWriter => {
    if (!made) made = makeFolder(folder);
    return new FileBlobWriter(folder);
  };
  return {
    writer,
    async put(bytes) {
      const one = writer();
      one.write(bytes);
      return one.close();
    },
    async get(hash) {
      if (!isHash(hash)) return null;
      try {
        return await readFile(pathIn(folder, hash));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return null;
        throw new BlobFailure(folder, error);
      }
    },
    keep: async (hash) => isHash(hash) && touched(pathIn(folder, hash)),
    pathOf: (hash) => pathIn(folder, hash),
  };
}

/** A folder that cannot be made is reported by the write that needs it. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(temporaryFolder(folder), { recursive: true, mode: 0o700 });
    removeAbandoned(folder);
    return true;
  } catch {
    return false;
  }
}
