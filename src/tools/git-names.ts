import { limits } from "../model/limits.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { ToolContext } from "../ports/tool.ts";

/** The paths that a git command lists with `-z`; null where it fails, or lists more than can be kept. */
export async function gitNames(
  argv: readonly string[],
  cwd: string,
  { env, processes, timeoutMs, signal }: ToolContext,
  blobs: BlobStore,
): Promise<readonly string[] | null> {
  const outputBytes = limits.outputDefaultBytes;
  const { end, stdout } = await processes.run({ argv, cwd, env, timeoutMs, outputBytes }, signal);
  if (end.kind !== "exit" || end.code !== 0 || stdout.cut === true) return null;
  const bytes = stdout.blob === undefined ? null : await blobs.get(stdout.blob).catch(() => null);
  if (stdout.blob !== undefined && bytes === null) return null;
  const names = (bytes === null ? stdout.text : Buffer.from(bytes).toString()).split("\0");
  return names.filter((name) => name !== "");
}
