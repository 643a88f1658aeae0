/** What was thrown, in its own words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What the system called it, such as `ENOENT`; undefined where that was not said. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Whether it says that a file is not there, or cannot be since what should be its folder is none. */
export function isAbsent(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}
