import { limits } from "../../model/limits.ts";
import type { DriverParts } from "../parts.ts";

export type EngineName = "docker" | "podman";

export interface Answer {
  readonly ok: boolean;
  readonly stdout: string;
  /** Last line of what it said about a failure; empty after success. */
  readonly problem: string;
}

/** One call of the engine's command line; bounded in time. */
export type Cli = (args: readonly string[], timeoutMs?: number) => Promise<Answer>;

/** Calls go on after an abort of the run: what they clean up must be cleaned up. */
export function engineCli(engine: EngineName, parts: DriverParts): Cli {
  return async (args, timeoutMs = limits.sandboxCommandMs) => {
    const { end, stdout, stderr } = await parts.processes.run(
      { argv: [engine, ...args], cwd: "/", env: parts.env, timeoutMs, outputBytes: limits.toolOutputBytes },
      new AbortController().signal,
    );
    switch (end.kind) {
      case "exit":
        if (end.code === 0) return { ok: true, stdout: stdout.text, problem: "" };
        return { ok: false, stdout: stdout.text, problem: lastLine(stderr.text) || `exit ${end.code}` };
      case "timeout":
        return { ok: false, stdout: "", problem: `${engine} ${args[0]} took longer than ${timeoutMs} ms` };
      case "could_not_start":
      case "spill":
        return { ok: false, stdout: "", problem: end.message };
      case "signal":
        return { ok: false, stdout: "", problem: `${engine} was ended by ${end.signal}` };
      case "cancelled":
        return { ok: false, stdout: "", problem: `${engine} was stopped` };
    }
  };
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
