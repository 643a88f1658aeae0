import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { limits } from "../../model/limits.ts";

/** Whether this machine knows a user of that name, from whatever source its directory asks. */
export function isUser(name: string): boolean {
  if (name === ownName()) return true;
  return spawnSync("id", ["-u", "--", name], { stdio: "ignore", timeout: limits.userLookUpMs }).status === 0;
}

/** Null where the user database has none. */
function ownName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
