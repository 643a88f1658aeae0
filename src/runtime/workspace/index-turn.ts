import { createHash } from "node:crypto";
import { limits } from "../../model/limits.ts";
import { isUnlocked, locked } from "../lock.ts";
import { GitFailure } from "./git.ts";

/** Name of the folder with the index of the tree at `root`. */
export function indexOf(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 32);
}

/** Whether that is the name of such a folder; beside it lies its lock. */
export function isIndex(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

/** In this process those who come later need not look again and again. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Does `work` while nobody else of any process works with the index in `gitDir`: who takes pictures of one tree shares
 * it, and two at once would make a picture of neither. Rejects with {@link GitFailure} where it does not come to that.
 */
export async function inTurn<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(gitDir) ?? Promise.resolve()).then(() => alone(gitDir, work));
  const over = done.catch(() => undefined);
  turns.set(gitDir, over);
  try {
    return await done;
  } finally {
    if (turns.get(gitDir) === over) turns.delete(gitDir);
  }
}

async function alone<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
  const answer = await locked(gitDir, work, { waitMs: limits.pictureLockMs });
  if (isUnlocked(answer)) throw new GitFailure(`no picture of the tree can be taken: ${answer.unlocked}`, true);
  return answer;
}
