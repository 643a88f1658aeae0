import { join, resolve } from "node:path";
import { userHome } from "../../config/user-home.ts";
import { StoreUnavailable } from "../../ports/journal.ts";

/**
 * Absolute folder of all state: `$TRAMMEL_HOME`, else `~/.local/share/trammel`.
 * Throws StoreUnavailable where there is neither.
 */
export function dataHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const moved = env["TRAMMEL_HOME"] ?? "";
  if (moved !== "") return resolve(cwd, moved);
  const home = userHome();
  if (home === null)
    throw new StoreUnavailable("this user has no home folder", "set TRAMMEL_HOME to a folder for the store");
  return join(home, ".local", "share", "trammel");
}
