import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type { Checkout, Sandbox } from "../../ports/sandbox.ts";
import type { Redactor } from "../../runtime/redaction/redactor.ts";
import { startHelper } from "../copy/helper.ts";

/**
 * All that changed since the base, committed or not, with an index of its own so that the repository's stays as it is.
 */
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
 * Writes what a checkout's box changed to `<node>.patch` in `folder`, masked and otherwise byte
 * by byte; nothing changed, no file. Git runs in the box: what its repository makes Git do
 * stays there. Answers a sentence where it could not be kept.
 */
export async function keepPatch(
  sandbox: Sandbox,
  { node, path: where, base }: Checkout,
  folder: string,
  redactor: Pick<Redactor, "stream">,
): Promise<string | null> {
  const file = path.join(folder, `${node}.patch`);
  const unfinished = `${file}.new`;
  try {
    const deadline = AbortSignal.timeout(limits.sandboxPatchMs);
    const helper = await startHelper(sandbox, differ, [where, base], deadline);
    if ("fault" in helper) return notKept(node, helper.fault);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const bytes = await receive(helper.process, unfinished, redactor);
    const problem = await helper.verdict;
    if (problem !== null) return notKept(node, problem);
    if (bytes > 0) await rename(unfinished, file);
    return null;
  } catch (error) {
    return notKept(node, messageOf(error));
  } finally {
    await rm(unfinished, { force: true });
  }
}

function notKept(node: string, why: string): string {
  return `the changes of ${node} could not be kept: ${why}`;
}

async function receive(process: LiveProcess, to: string, redactor: Pick<Redactor, "stream">): Promise<number> {
  const mask = redactor.stream();
  let bytes = 0;
  process.stdin.end();
  const masked = async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limits.sandboxPatchBytes) throw new Error(`they are more than ${limits.sandboxPatchBytes} bytes`);
      yield mask.write(chunk);
    }
    yield mask.end();
  };
  try {
    await pipeline(process.stdout, masked, createWriteStream(to, { mode: 0o600 }));
  } catch (error) {
    await process.kill();
    throw error;
  }
  return bytes;
}
