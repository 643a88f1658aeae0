import { limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { ActionContext } from "../../ports/performer.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { parsePorts, type Ports } from "../../runtime/environment/port-file.ts";

/** Where a command of this attempt may write its ports, in its box. */
export function portPath({ attempt: { node, pass, attempt } }: ActionContext): string {
  return `/tmp/trammel-${node}-${pass}-${attempt}.json`;
}

/** One byte more than there may be tells a file that is too long. */
const read = `[ -f "$1" ] && head -c ${limits.portFileBytes + 1} <"$1" && rm -f -- "$1"`;

/** What a command wrote there, masked like all it says; null where it wrote nothing. The file is gone afterwards. */
export async function takePorts(sandbox: Sandbox, file: string, blobs: BlobStore): Promise<Ports | null> {
  const { end, stdout } = await sandbox.exec(
    {
      argv: ["sh", "-c", read, "sh", file],
      cwd: "/",
      env: {},
      timeoutMs: limits.sandboxSettleMs,
      outputBytes: 2 * limits.portFileBytes,
    },
    new AbortController().signal,
  );
  if (end.kind !== "exit" || end.code !== 0) return null;
  if (stdout.bytes > limits.portFileBytes)
    return { problem: `$TRAMMEL_OUTPUT holds more than ${limits.portFileBytes} bytes` };
  return parsePorts(
    stdout.blob === undefined ? stdout.text : Buffer.from((await blobs.get(stdout.blob)) ?? []).toString(),
  );
}
