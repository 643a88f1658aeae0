import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Absolute folder of all state: `$TRAMMEL_HOME`, else `~/.local/share/trammel`. */
export function dataHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const moved = env["TRAMMEL_HOME"] ?? "";
  return moved === "" ? join(homedir(), ".local", "share", "trammel") : resolve(cwd, moved);
}
