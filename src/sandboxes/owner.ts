import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../model/process-identity.ts";

/** The owner of a box as one word for a label. */
export function ownerWord({ pid, startTime, bootId }: ProcessIdentity): string {
  return `${pid}/${startTime}/${bootId}`;
}

export function readOwner(word: string): ProcessIdentity | null {
  const [pid, startTime, bootId] = word.trim().split("/");
  if (startTime === undefined || bootId === undefined || !/^\d+$/.test(pid ?? "")) return null;
  return { pid: Number(pid), startTime, bootId };
}

/** Tells the boxes of one data folder from those of another, also where machines share an engine. */
export function folderWord(folder: string): string {
  return createHash("sha256").update(`${hostname()}\0${folder}`).digest("hex").slice(0, 24);
}
