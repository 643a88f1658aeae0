import { randomUUID } from "node:crypto";
import { mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../model/limits.ts";
import { messageOf, systemCode } from "../model/thrown.ts";
import { identify, isAlive, self } from "./processes/identity.ts";
import type { Wait } from "./time/wait.ts";

/** Why a file could not be locked, as the end of a sentence, and what to do. */
export interface Unlocked {
  readonly unlocked: string;
  readonly hint: string;
  /** Nobody waits for it any more. */
  readonly stopped?: true;
}

export function isUnlocked(answer: unknown): answer is Unlocked {
  return typeof answer === "object" && answer !== null && "unlocked" in answer;
}

/**
 * Does `work` while nobody else of any process does it for the same file; at most `waitMs` are waited for that, and not
 * once it is stopped.
 *
 * The lock is a link beside the file that says who holds it, since a link appears whole or not at all. Where the
 * holder is dead, its successor holds a second link, whose name is known only from the first; only the last
 * holder removes the first one, and before its own. So whoever could make a link and still finds the first one
 * as it was has the lock, and of two who find a dead holder only one.
 */
export async function locked<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs = limits.counterLockMs, signal, told }: Wait & { readonly waitMs?: number } = {},
): Promise<T | Unlocked> {
  const path = `${file}.lock`;
  const began = performance.now();
  let tell = told;
  for (;;) {
    const taken = take(path);
    if ("links" in taken) {
      try {
        return await work();
      } finally {
        for (const link of taken.links) remove(link);
      }
    }
    if ("unlocked" in taken) return taken;
    const waitedMs = performance.now() - began;
    if (signal?.aborted === true)
      return {
        unlocked: `it was stopped while ${taken.holder} had the lock ${taken.at}`,
        hint: "begin again",
        stopped: true,
      };
    if (waitedMs >= waitMs)
      return {
        unlocked: `${taken.holder} has had the lock ${taken.at} for ${waitMs / 1000} s`,
        hint: "wait until that has ended, or stop it; where there is no such process any more, remove the lock",
      };
    if (waitedMs >= limits.waitToldMs) {
      tell?.(`waiting for ${taken.holder}, which has the lock ${taken.at}`);
      tell = undefined;
    }
    await pause(limits.lockPollMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
}

type Taken = { readonly links: readonly string[] } | { readonly holder: string; readonly at: string } | Unlocked;

function take(path: string): Taken {
  const own = `${randomUUID()} ${ownProcess()}`;
  const before: string[] = [];
  let first: string | null = null;
  let at = path;
  try {
    mkdirSync(dirname(path), { recursive: true });
    while (before.length < limits.lockDeadHolders) {
      if (isMade(at, own)) {
        if (at === path || textOf(path) === first) return { links: [...before, at] };
        remove(at);
        return { holder: "another process", at: path };
      }
      const text = textOf(at);
      if (text === null) return { holder: "another process", at: path };
      first ??= text;
      const holder = holderOf(text);
      if (holder === null) return { unlocked: `${at} is no lock of Trammel`, hint: "remove it" };
      if (!holder.isDead) return { holder: holder.name, at };
      before.push(at);
      at = `${path}.${holder.id}`;
    }
    return { unlocked: `${before.length} processes died that had the lock ${path}`, hint: "remove it" };
  } catch (error) {
    return {
      unlocked: `${at} cannot be made: ${systemCode(error) ?? messageOf(error)}`,
      hint: "see to it that its folder can be written to",
    };
  }
}

/** One that cannot be removed stays locked until this process has ended. */
function remove(link: string): void {
  try {
    rmSync(link, { force: true });
  } catch {
    return;
  }
}

function isMade(at: string, text: string): boolean {
  try {
    symlinkSync(text, at);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Null where it is gone, and an empty text for what is no link. */
function textOf(at: string): string | null {
  try {
    return readlinkSync(at);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    if (systemCode(error) === "EINVAL") return "";
    throw error;
  }
}

function ownProcess(): string {
  const { pid, startTime, bootId } = self();
  return [pid, startTime, bootId, place()].map((part) => encodeURIComponent(part)).join(" ");
}

/** Where its process can be looked for: pids are told apart by machine and, on Linux, by namespace. */
function place(): string {
  return `${hostname()} ${pidNamespace()}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

interface Holder {
  readonly id: string;
  readonly name: string;
  /** False also where nobody here can tell. */
  readonly isDead: boolean;
}

const shape = /^(?<id>[0-9a-f-]{36}) (?<pid>\d{1,10}) (?<startTime>\S+) (?<bootId>\S+) (?<from>\S+)$/;

function holderOf(text: string): Holder | null {
  const { id, pid, startTime, bootId, from } = shape.exec(text)?.groups ?? {};
  if (id === undefined || startTime === undefined || bootId === undefined || from === undefined) return null;
  const identity = { pid: Number(pid), startTime: decoded(startTime), bootId: decoded(bootId) };
  if (decoded(from) !== place()) return { id, name: `process ${pid} of ${decoded(from)}`, isDead: false };
  const unknown = identity.startTime === "unknown" && identify(identity.pid) !== null;
  return { id, name: `process ${pid}`, isDead: !unknown && !isAlive(identity) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
