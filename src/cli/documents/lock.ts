import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTaken, readTextFile } from "../../config/text-file.ts";
import { messageOf } from "../../model/thrown.ts";
import { isUnlocked, locked } from "../../runtime/lock.ts";
import { realOf } from "../../runtime/tree/plain-file.ts";
import { isProblem, type Problem, usage } from "../problem.ts";

/** What the documents of a folder call, by reference as written: the content hash that was looked at and accepted. */
export interface Lock {
  readonly pins: ReadonlyMap<string, string>;
}

const version = 1;

export function lockFile(folder: string): string {
  return join(folder, "trammel.lock");
}

/** The lock of a folder; empty where there is none. */
export function lockOf(folder: string): Lock | Problem {
  const path = lockFile(folder);
  const found = readTextFile(path);
  if (found === null) return { pins: new Map() };
  if ("fault" in found) return usage(`${path} cannot be read: ${found.fault}`);
  const pins = pinsIn(found.text);
  return pins === null
    ? usage(`${path} does not hold {"version": ${version}, "pins": {…}}`, "Write it anew: trammel pin FILE")
    : { pins };
}

/** The lock beside a document that calls something; undefined where there is none. */
export function lockBeside(file: string, text: string): Lock | Problem | undefined {
  const folder = dirname(file);
  return text.includes("call") && isTaken(lockFile(folder)) ? lockOf(folder) : undefined;
}

/**
 * Adds pins to those that stand there, and answers these. Whoever reads the lock sees it whole, and who pins at the
 * same moment keeps theirs.
 */
export async function addPins(folder: string, pins: Lock["pins"]): Promise<Lock | Problem> {
  const path = realOf(lockFile(folder)) ?? lockFile(folder);
  const added = await locked(path, async () => addAlone(path, folder, pins));
  return isUnlocked(added) ? usage(`${path} cannot be written: ${added.unlocked}`, added.hint) : added;
}

function addAlone(path: string, folder: string, pins: Lock["pins"]): Lock | Problem {
  const before = lockOf(folder);
  if (isProblem(before)) return before;
  const all = [...new Map([...before.pins, ...pins])].sort(([a], [b]) => (a < b ? -1 : 1));
  const making = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(making, `${JSON.stringify({ version, pins: Object.fromEntries(all) }, null, 2)}\n`, { flag: "wx" });
    renameSync(making, path);
  } catch (error) {
    rmSync(making, { force: true });
    return usage(`${path} cannot be written: ${messageOf(error)}`);
  }
  return before;
}

function pinsIn(text: string): Lock["pins"] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value["version"] !== version || !isRecord(value["pins"])) return null;
  const pins = new Map<string, string>();
  for (const [reference, hash] of Object.entries(value["pins"])) {
    if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) return null;
    pins.set(reference, hash);
  }
  return pins;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
