import { createHash } from "node:crypto";
import { limits } from "../../model/limits.ts";

const digestCharacters = 16;

/**
 * The name of the box of a pass. One that would be too long ends with a digest of all of it, so that no two are alike.
 */
export function boxId(run: string, pass: number, node: string): string {
  const id = `trammel-${run}-${pass}-${node}`;
  if (id.length <= limits.sandboxIdCharacters) return id;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, digestCharacters);
  return `${id.slice(0, limits.sandboxIdCharacters - digest.length - 1)}-${digest}`;
}
