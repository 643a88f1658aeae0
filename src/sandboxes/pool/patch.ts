import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { Checkout, Sandbox } from "../../ports/sandbox.ts";
import { script } from "../inside/launch.ts";

/** All that changed since the base, committed or not, with an index of its own so that the repository's stays as it is. */
const differ = `
cd -- "$1" || exit
index=$(git rev-parse --git-dir)/trammel-index
export GIT_INDEX_FILE="$index" GIT_OPTIONAL_LOCKS=0
git -c safe.directory=* read-tree "$2" &&
git -c safe.directory=* add --all . &&
git -c safe.directory=* diff --cached --binary --no-ext-diff --no-textconv --no-color "$2"
code=$?
rm -f "$index"
exit $code`;

/**
 * Writes what a checkout's box changed to `<node>.patch` in `folder`; nothing changed, no file. Git runs in the box: what its
 * repository makes Git do stays there. Answers a sentence where it could not be kept, or how to find it.
 */
export async function keepPatch(
  sandbox: Sandbox,
  { node, path: where, base }: Checkout,
  folder: string,
  blobs: BlobStore,
): Promise<string | null> {
  const { end, stdout, stderr } = await sandbox.exec(
    {
      argv: script(differ, where, base),
      cwd: "/",
      env: {},
      timeoutMs: limits.sandboxPatchMs,
      outputBytes: limits.sandboxPatchBytes,
    },
    new AbortController().signal,
  );
  if (end.kind !== "exit" || end.code !== 0 || stdout.cut === true) {
    const why = stdout.cut === true ? "it is too large" : stderr.text.trim().split("\n").at(-1) || end.kind;
    return `the changes of ${node} could not be kept: ${why}`;
  }
  if (stdout.bytes === 0) return null;
  const hash = stdout.blob ?? (await blobs.put(Buffer.from(stdout.text)));
  const file = path.join(folder, `${node}.patch`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await copyFile(blobs.pathOf(hash), `${file}.new`);
  await rename(`${file}.new`, file);
  await rm(`${file}.new`, { force: true });
  return null;
}
