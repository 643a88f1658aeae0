import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/**
 * Absolute home folder of this user; null where neither `HOME` nor the user database
 * names one, as in a container under a user id of its own.
 */
export function userHome(): string | null {
  return absolute(homedir) ?? absolute(() => userInfo().homedir);
}

/** Both ask the system, which throws where it knows nothing; an empty `HOME` comes back as it stands. */
function absolute(ask: () => string): string | null {
  try {
    const folder = ask();
    return isAbsolute(folder) ? folder : null;
  } catch {
    return null;
  }
}
