import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { utimes } from "node:fs/promises";
import path from "node:path";
import { isAlive, self } from "../processes/identity.ts";

/** `ab/cdef…` under the store's folder: two levels keep folders small. */
export function pathIn(folder: string, hash: string): string {
  return path.join(folder, hash.slice(0, 2), hash.slice(2));
}

/** Beside the blobs, so that a rename never crosses file systems. */
export function temporaryFolder(folder: string): string {
  return path.join(folder, "tmp");
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether the file is there; if so, it is in use from now on and a sweep leaves it alone. */
export async function touched(file: string): Promise<boolean> {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    () => false,
  );
}

/** A name that says which process writes it. */
export function newTemporary(folder: string): string {
  const { pid, startTime, bootId } = self();
  return path.join(temporaryFolder(folder), [pid, encodeURIComponent(startTime), bootId, randomUUID()].join("~"));
}

/** Removes what processes that are gone were writing. */
export function removeAbandoned(folder: string): void {
  const temporary = temporaryFolder(folder);
  for (const name of readdirSync(temporary)) {
    const [pid, startTime, bootId] = name.split("~");
    if (startTime === undefined || bootId === undefined) continue;
    const writer = { pid: Number(pid), startTime: decodeURIComponent(startTime), bootId };
    if (!isAlive(writer)) rmSync(path.join(temporary, name), { force: true });
  }
}
