import { execFile } from "node:child_process";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { systemClock } from "../../runtime/time/clock.ts";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Hands a text to a command; rejects with why it did not take it. One that has not ended after `limits.noticeMs` is
 * ended with all that it started.
 */
export function handTo(
  [file, ...args]: readonly [string, ...string[]],
  place: Place,
  text: string,
  clock: Clock = systemClock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let ending: Promise<void> | undefined;
    const child = execFile(file, args, { ...place, maxBuffer: limits.outputTailBytes }, (error, _stdout, stderr) => {
      disarm();
      // A process lets go of its streams before it is gone.
      if (ending !== undefined)
        void ending.then(() => reject(new Error(`it had not ended after ${limits.noticeMs / 1000} s`)));
      else if (error === null) resolve();
      else reject(typeof error.code === "number" ? new Error(exitText(error.code, stderr)) : error);
    });
    const disarm = clock.after(limits.noticeMs, () => {
      // What has left its tree may hold its streams open for ever.
      ending = endAll(child.pid).finally(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
    });
    child.stdin?.on("error", () => undefined).end(text);
  });
}

function exitText(code: number, stderr: string): string {
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return `exit code ${code}${last === "" ? "" : `: ${last}`}`;
}

async function endAll(pid: number | undefined): Promise<void> {
  const [{ identify }, { endTree }] = await Promise.all([
    import("../../runtime/processes/identity.ts"),
    import("../../runtime/processes/custody.ts"),
  ]);
  const process = pid === undefined ? null : identify(pid);
  if (process !== null) await endTree(process);
}
