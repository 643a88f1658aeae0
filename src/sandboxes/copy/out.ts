import { createWriteStream } from "node:fs";
import { lstat, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadEntry } from "tar";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import type { CopiedOut, Sandbox, SandboxFault } from "../../ports/sandbox.ts";
import { startHelper } from "./helper.ts";

/** One letter says what follows: d an archive, f or x the bytes of a file. */
const give = `
if [ -d "$1" ]; then cd -- "$1" && printf d && exec tar -cf - .
elif [ -x "$1" ]; then printf x && exec cat <"$1"
elif [ -f "$1" ]; then printf f && exec cat <"$1"
else echo "there is no such file or folder" >&2; exit 1
fi`;

/** See {@link Sandbox.copyOut}. Whatever the box sends, nothing outside `to` is written and no link is made. */
export async function copyOut(
  sandbox: Pick<Sandbox, "open">,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<CopiedOut | SandboxFault> {
  let staging: string | null = null;
  try {
    if (await exists(to)) return fault(from, to, "it exists already");
    await mkdir(path.dirname(to), { recursive: true });
    staging = await mkdtemp(path.join(path.dirname(to), ".trammel-copy-"));
    const landed = path.join(staging, "it");
    const result = await receive(sandbox, from, landed, signal);
    if ("fault" in result) return result;
    if ("problem" in result) return fault(from, to, result.problem);
    await rename(landed, to);
    return result;
  } catch (error) {
    return fault(from, to, messageOf(error));
  } finally {
    if (staging !== null) await rm(staging, { recursive: true, force: true });
  }
}

function fault(from: string, to: string, problem: string): SandboxFault {
  return {
    fault: `${from} of the sandbox could not be copied to ${to}: ${problem}`,
    hint: "The source must be readable for the user of the box; folders need `tar` in its image.",
  };
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function receive(
  sandbox: Pick<Sandbox, "open">,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<CopiedOut | SandboxFault | { readonly problem: string }> {
  const helper = await startHelper(sandbox, give, [from], signal);
  if ("fault" in helper) return helper;
  const { process, verdict } = helper;
  process.stdin.end();
  const skipped: string[] = [];
  let local: string | null = null;
  try {
    const kind = await firstByte(process.stdout);
    if (kind === "d") await unpack(process.stdout, to, skipped);
    else if (kind !== "") await keepFile(process.stdout, to, kind === "x" ? 0o755 : 0o644);
  } catch (error) {
    local = messageOf(error);
    await process.kill();
  }
  const problem = local ?? (await verdict);
  await verdict;
  return problem === null ? { skipped } : { problem };
}

/** Empty where the stream ends at once. */
async function firstByte(stream: Readable): Promise<string> {
  for (;;) {
    const byte = stream.read(1) as Buffer | null; // No encoding is set.
    if (byte !== null) return byte.toString();
    if (stream.readableEnded || stream.destroyed) return "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    for (const event of ["readable", "end", "close"]) stream.once(event, wake);
    await promise;
    for (const event of ["readable", "end", "close"]) stream.off(event, wake);
  }
}

async function keepFile(stream: Readable, to: string, mode: number): Promise<void> {
  let bytes = 0;
  await pipeline(
    stream,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > limits.sandboxCopyBytes) throw new Error(tooMuch());
        yield chunk;
      }
    },
    createWriteStream(to, { flags: "wx", mode }),
  );
}

async function unpack(stream: Readable, to: string, skipped: string[]): Promise<void> {
  await mkdir(to);
  let bytes = 0;
  let entries = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { Unpack } = await import("tar");
  const unpacker = new Unpack({
    cwd: to,
    preserveOwner: false,
    strict: false,
    onwarn: (code, message) => void (code === "TAR_ENTRY_INFO" || skipped.push(message)),
    filter: (name, entry) => {
      entries += 1;
      bytes += entry.size;
      if (entries > limits.sandboxCopyEntries || bytes > limits.sandboxCopyBytes) reject(new Error(tooMuch()));
      const wanted = isWanted(name, entry);
      if (!wanted) skipped.push(name);
      return wanted;
    },
  });
  unpacker.on("close", () => resolve());
  unpacker.on("error", reject);
  stream.on("error", reject);
  stream.pipe(unpacker);
  await promise;
}

const kinds: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile", "Directory"]);

/** Plain files and folders only, under plain names. Set-id and sticky bits stay behind. */
function isWanted(name: string, entry: ReadEntry | { readonly size: number }): boolean {
  if (!("type" in entry) || !kinds.has(entry.type)) return false;
  if (name.startsWith("/") || name.split("/").includes("..")) return false;
  entry.mode = (entry.mode ?? 0o644) & 0o777;
  return true;
}

function tooMuch(): string {
  return `it is larger than a copy may be (${limits.sandboxCopyEntries} files, ${limits.sandboxCopyBytes} bytes)`;
}
