import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { RecordSettings } from "../../model/settings.ts";
import { escalationSection, type Escalation } from "../../views/escalation.ts";

/**
 * Adds the section of an escalation to `records.state`, a file that people and other agents read; what stands in it stays.
 * Answers why it could not, as one line, or null. `at` is milliseconds since the epoch.
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
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, `${separator(path)}${escalationSection(escalation, at, zone)}`);
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `the escalation could not be noted in ${path}: ${why}`;
  }
}

/** A section begins after an empty line. */
function separator(path: string): string {
  if (!existsSync(path)) return "";
  const text = readFileSync(path, "utf8");
  if (text === "" || text.endsWith("\n\n")) return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}
