import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { limits } from "../../model/limits.ts";
import { systemCode } from "../../model/thrown.ts";

export interface Asked {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  /** What it said on standard error, on one line. */
  readonly said: string;
}

/**
 * Runs the program of a keyring. Values go over its standard input, never by
 * argument. Rejects where it cannot be run or takes too long.
 */
export type Ask = (args: readonly string[], input?: string) => Promise<Asked>;

/** `env` is that of the user, in which the keyring of the session is named. */
export function askBy(program: string, env: Readonly<Record<string, string | undefined>>): Ask {
  return async (args, input = "") => {
    const child = spawn(program, args, { env, signal: AbortSignal.timeout(limits.keyringMs) });
    child.stdin.on("error", () => undefined); // it ended without reading all of it, and says why itself
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", (error) => reject(new Error(faultOf(program, error))));
      child.once("close", resolve);
    });
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, stdout, said: stderr.trim().replace(/\s+/g, " ") };
  };
}

function faultOf(program: string, error: Error): string {
  if (systemCode(error) === "ENOENT") return `there is no ${program} here`;
  return error.name === "AbortError" ? `${program} took more than ${limits.keyringMs / 1000} s` : error.message;
}
