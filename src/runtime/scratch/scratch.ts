import { constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { lstat, mkdir, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { messageOf } from "../../model/thrown.ts";
import { scratchPrefix, sweepScratch } from "./sweep.ts";

let folder: string | undefined;
let files = 0;

/** A path for a file that a child and this process exchange; nothing is made there yet. */
export function scratchFile(extension = ""): string {
  folder ??= makeFolder();
  files += 1;
  return path.join(folder, `${files}${extension}`);
}

/** Writes such a file, for this user only. Rejects with a {@link ScratchFailure}, as where no space is left. */
export function writeScratch(file: string, text: string): Promise<void> {
  return inScratch(file, () => writeFile(file, text, { mode: 0o600 }));
}

/** Does `work`, which only makes or writes such a file; where that fails it rejects with a {@link ScratchFailure}. */
export async function inScratch<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ScratchFailure(`no temporary file can be written in ${path.dirname(file)}: ${messageOf(error)}`);
  }
}

/** An empty folder that is gone with this process, or with a later one where this one is killed. */
export async function scratchFolder(): Promise<string> {
  const made = scratchFile();
  await inScratch(made, () => mkdir(made, { mode: 0o700 }));
  return made;
}

/** For this process only (0700), removed when it ends in order; what killed processes left goes with the next one. */
function makeFolder(): string {
  const made = temporaryFolder(scratchPrefix());
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  void sweepScratch(tmpdir(), Date.now());
  return made;
}

/** A new folder for temporary files, which whoever asked for it removes. Throws {@link ScratchFailure}. */
export function temporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(path.join(tmpdir(), prefix));
  } catch (error) {
    throw new ScratchFailure(`no temporary folder can be made in ${tmpdir()}: ${messageOf(error)}`);
  }
}

/** There is no place for temporary files; `hint` says what to do next. */
export class ScratchFailure extends Error {
  override readonly name = "ScratchFailure";
  readonly hint = "set TMPDIR to a folder with space that you may write to";
}

export type Taken = { readonly text: string } | { readonly problem: string };

/** Reads what a child wrote and removes it; null where it wrote nothing. A problem goes on after "the file". */
export async function takeScratch(file: string, maxBytes: number): Promise<Taken | null> {
  if (!existsSync(file)) return null;
  try {
    return await readBounded(file, maxBytes);
  } catch (error) {
    return { problem: `cannot be read: ${messageOf(error)}` };
  } finally {
    await rm(file, { recursive: true, force: true });
  }
}

/** A link, pipe or device in its place is not opened: reading it might never end. */
async function readBounded(file: string, maxBytes: number): Promise<Taken> {
  const { size } = await lstat(file);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return { problem: "is not a plain file" };
    if (size > maxBytes) return { problem: `is larger than ${maxBytes} bytes` };
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return { text: buffer.toString("utf8", 0, bytesRead) };
  } finally {
    await handle.close();
  }
}
