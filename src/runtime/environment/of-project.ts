import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import { mayHoldOwn, ownFilesIn, pathspecsWithout } from "../tree/own-files.ts";

export interface ProjectParts {
  /** Absolute folder of all state. */
  readonly home: string;
  /** Absolute folder of cassettes that are recorded. */
  readonly record?: string | undefined;
  /** Regular expressions of the configuration that an audit looks for. */
  readonly auditPatterns?: readonly string[];
}

export interface ProjectRequest {
  readonly blueprint: Blueprint;
  /** Absolute folder that nodes work in. */
  readonly cwd: string;
  /** Absolute folder in which the run was asked for. */
  readonly project: string;
  /** Whether the person who started the run takes a task of high risk upon them. */
  readonly acceptRisk?: true | undefined;
}

/**
 * What the stock scripts, and scripts like them, need to know of the run's settings;
 * each variable only where there is something to tell.
 */
export async function projectVariables(
  { blueprint: { records }, cwd, project, acceptRisk }: ProjectRequest,
  { home, record, auditPatterns = [] }: ProjectParts,
): Promise<Readonly<Record<string, string>>> {
  const told: Record<string, string> = {};
  if (mayHoldOwn(cwd, { home, records, record })) {
    const own = pathspecsWithout(await ownFilesIn(await realpath(cwd), { home, project, records, record }));
    if (own.length > 0) told["TRAMMEL_OWN_FILES"] = own.join("\n");
  }
  if (records.state !== undefined) told["TRAMMEL_STATE_FILE"] = resolve(project, records.state);
  if (records.prTemplate !== undefined) told["TRAMMEL_PR_TEMPLATE"] = records.prTemplate;
  if (auditPatterns.length > 0) told["TRAMMEL_AUDIT_PATTERNS"] = auditPatterns.join("\n");
  if (acceptRisk === true) told["TRAMMEL_ACCEPT_RISK"] = "1";
  return told;
}
