import { createHash, type Hash } from "node:crypto";
import { closeSync, fsync, openSync, writeSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { BlobWriter } from "../../ports/blobs.ts";
import { BlobFailure } from "./failure.ts";
import { newTemporary, pathIn, touched } from "./layout.ts";

const sync = promisify(fsync);
/** Read-only even for its owner: a process that is handed its path cannot change what the hash says. */
const blobMode = 0o400;

/**
 * Writes at once, without a queue: what a process prints costs no memory however fast it prints.
 * Nothing is opened before the first byte; nothing is under its hash before it is whole and on disk.
 */
export class FileBlobWriter implements BlobWriter {
  readonly #folder: string;
  readonly #hash: Hash = createHash("sha256");
  readonly #temporary: string;
  #file: number | null = null;
  #failure: BlobFailure | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    this.#temporary = newTemporary(folder);
  }

  write(bytes: Uint8Array): boolean {
    if (this.#failure !== null) return false;
    try {
      this.#file ??= openSync(this.#temporary, "wx", blobMode);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
      this.#hash.update(bytes);
      return true;
    } catch (error) {
      this.#failure = new BlobFailure(this.#folder, error);
      return false;
    }
  }

  async close(): Promise<string> {
    try {
      if (this.#failure !== null) throw this.#failure;
      this.#file ??= openSync(this.#temporary, "wx", blobMode);
      return await this.#keep(this.#file, this.#hash.digest("hex"));
    } catch (error) {
      await this.discard();
      throw error instanceof BlobFailure ? error : new BlobFailure(this.#folder, error);
    }
  }

  /** Best effort: what stays behind is removed by a later process. */
  async discard(): Promise<void> {
    this.#closeFile();
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  /** Content before name, name before the answer: a crash in between leaves a temporary file, never half a blob. */
  async #keep(file: number, hash: string): Promise<string> {
    const target = pathIn(this.#folder, hash);
    if (await touched(target)) {
      await this.discard();
      return hash;
    }
    await sync(file);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(this.#temporary, target);
    this.#closeFile();
    await syncFolder(path.dirname(target));
    return hash;
  }

  #closeFile(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
