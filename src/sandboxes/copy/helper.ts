import { limits } from "../../model/limits.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type { Sandbox, SandboxFault } from "../../ports/sandbox.ts";
import { script } from "../inside/launch.ts";

/** A small program in the box at the other end of a copy. */
export interface Helper {
  readonly process: LiveProcess;
  /** What went wrong in the box, or null; resolves when the helper is gone. */
  readonly verdict: Promise<string | null>;
}

/** Starts a script of ours in the box; an abort ends it. */
export async function startHelper(
  sandbox: Pick<Sandbox, "open">,
  text: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Helper | SandboxFault> {
  const process = await sandbox.open({ argv: script(text, ...args), cwd: "/", env: {} });
  if ("fault" in process) return process;
  const said = lastOf(process);
  const stop = (): void => void process.kill();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const verdict = process.end.then((end) => {
    signal.removeEventListener("abort", stop);
    if (end.kind === "exit" && end.code === 0) return null;
    if (signal.aborted) return "the copy was stopped";
    return said() || `the box ended the copy (${end.kind === "exit" ? `exit ${end.code}` : end.kind})`;
  });
  return { process, verdict };
}

function lastOf({ stderr }: LiveProcess): () => string {
  let text = "";
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-limits.faultTextCharacters);
  });
  return () => text.trim().split("\n").at(-1) ?? "";
}
