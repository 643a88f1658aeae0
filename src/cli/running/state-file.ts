import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { RecordSettings } from "../../model/settings.ts";
import { messageOf } from "../../model/thrown.ts";
import { realOf } from "../../runtime/tree/plain-file.ts";
import { isInside } from "../../runtime/tree/scan.ts";
import { escalationSection, type Escalation } from "../../views/escalation.ts";

/**
 * Adds the section of an escalation to `records.state`, a file that people and other agents read; what stands in it
 * stays. Answers why it could not, as one line, or null. `at` is milliseconds since the epoch.
 */
export function noteEscalation(
  escalation: Escalation,
  records: RecordSettings,
  cwd: string,
  at: number,
): string | null {
  if (records.state === undefined) return null;
  const path = resolve(cwd, records.state);
  const zone = records.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    if (leadsOut(path, cwd)) throw new Error("a link leads from there out of the project");
    mkdirSync(dirname(path), { recursive: true });
    append(path, escalationSection(escalation, at, zone));
    return null;
  } catch (error) {
    const why = messageOf(error);
    return `the escalation could not be noted in ${path}: ${why}`;
  }
}

/** Whoever may write into the project cannot have us write somewhere else: what is noted holds what they said. */
function leadsOut(path: string, project: string): boolean {
  return isInside(project, path) && !isInside(realOf(project) ?? project, realOf(path) ?? "");
}

/** Opening a pipe would wait for its reader. */
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** A section begins after an empty line. */
function append(path: string, section: string): void {
  const descriptor = openSync(path, flags, 0o666);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error("it is no plain file");
    const before = Buffer.alloc(Math.min(2, found.size));
    readSync(descriptor, before, 0, before.length, found.size - before.length);
    const end = before.toString("latin1");
    const separator = end === "" || end === "\n\n" ? "" : end.endsWith("\n") ? "\n" : "\n\n";
    appendFileSync(descriptor, `${separator}${section}`);
  } finally {
    closeSync(descriptor);
  }
}
