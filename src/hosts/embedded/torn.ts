import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

// https://sqlite.org/walformat.html
const walHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltAt = { header: 16, frame: 8, bytes: 8 } as const;

/**
 * SQLite drops a commit that a crash cut short without a word; this finds it, so that it can be said. Frames of the
 * current log (same salt) beyond the last valid commit are such a rest. Looks under the write lock of `writing`: no
 * live commit is mistaken for one. The number of valid frames comes from a checkpoint, never from the index file: to
 * close that would drop every lock this process has on it, and with them the store of everybody else.
 */
export function tornTail(writing: DatabaseSync, reading: DatabaseSync, path: string): string | null {
  writing.exec("BEGIN IMMEDIATE");
  try {
    const frames = Number(reading.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"] ?? -1);
    return frames >= 0 && hasRest(`${path}-wal`, frames)
      ? "the last record was cut short by a crash and dropped; everything before it stands"
      : null;
  } finally {
    writing.exec("ROLLBACK");
  }
}

function hasRest(path: string, frames: number): boolean {
  const rest = withFile(path, (fd) => {
    const size = fstatSync(fd).size;
    const header = Buffer.alloc(walHeaderBytes);
    if (readSync(fd, header, 0, header.length, 0) < header.length) return size > 0;
    const end = walHeaderBytes + frames * (frameHeaderBytes + header.readUInt32BE(8));
    if (size <= end) return false;
    const frame = Buffer.alloc(frameHeaderBytes);
    if (readSync(fd, frame, 0, frame.length, end) < frame.length) return true;
    return saltOf(frame, saltAt.frame).equals(saltOf(header, saltAt.header));
  });
  return rest ?? false;
}

function saltOf(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at, at + saltAt.bytes);
}

function withFile<T>(path: string, look: (fd: number) => T): T | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null; // gone with the last connection that closed
  }
  try {
    return look(fd);
  } finally {
    closeSync(fd);
  }
}
