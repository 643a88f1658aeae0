import { userInfo } from "node:os";

/** Who gives an order, for the journal: the user's name, or the number where the user database has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
