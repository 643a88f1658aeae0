/** What was thrown, in its own words; anything can be thrown, also what throws when it is asked for them. */
export function messageOf(thrown: unknown): string {
  return said(() => (thrown instanceof Error ? thrown.message : thrown));
}

/** The innermost message of a chain of causes: of a connection it names the host and the reason. */
export function rootMessageOf(thrown: unknown): string {
  let message = said(() => (thrown instanceof Error ? thrown.name : thrown));
  for (let at: unknown = thrown; at instanceof Error; at = at.cause) if (at.message !== "") message = at.message;
  return message;
}

/** Where it was thrown, too, if that is known. */
export function stackOf(thrown: unknown): string {
  return said(() => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown));
}

function said(words: () => unknown): string {
  try {
    return String(words());
  } catch {
    return "something that cannot be told";
  }
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
