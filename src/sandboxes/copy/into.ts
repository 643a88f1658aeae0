import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../model/thrown.ts";
import type { Sandbox, SandboxFault } from "../../ports/sandbox.ts";
import { type Helper, startHelper } from "./helper.ts";

const takeFolder = `mkdir -p -- "$1" && exec tar -C "$1" -xof -`;
const takeFile = `case $1 in */*) mkdir -p -- "\${1%/*}/" || exit;; esac; cat >"$1" && chmod "$2" "$1"`;

/** See {@link Sandbox.copyIn}. Links arrive as they are: where they lead is the box's affair. */
export async function copyInto(
  sandbox: Pick<Sandbox, "open">,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<null | SandboxFault> {
  try {
    const source = await stat(from);
    const problem = source.isDirectory()
      ? await sendFolder(await startHelper(sandbox, takeFolder, [to], signal), from)
      : await sendFile(await startHelper(sandbox, takeFile, [to, (source.mode & 0o777).toString(8)], signal), from);
    if (problem === null || typeof problem !== "string") return problem;
    return fault(from, to, problem);
  } catch (error) {
    return fault(from, to, messageOf(error));
  }
}

function fault(from: string, to: string, problem: string): SandboxFault {
  return {
    fault: `${from} could not be copied to ${to} in the sandbox: ${problem}`,
    hint: "The target must be writable for the user of the box; folders need `tar` in its image.",
  };
}

async function sendFile(helper: Helper | SandboxFault, from: string): Promise<string | null | SandboxFault> {
  if ("fault" in helper) return helper;
  return finish(helper, pipeline(createReadStream(from), helper.process.stdin));
}

async function sendFolder(helper: Helper | SandboxFault, from: string): Promise<string | null | SandboxFault> {
  if ("fault" in helper) return helper;
  const { Pack } = await import("tar");
  const pack = new Pack({ cwd: from, portable: true });
  const sent = pipeline(pack, helper.process.stdin);
  pack.add("./");
  pack.end();
  return finish(helper, sent);
}

/** The helper's own words come first: a broken pipe here is only their echo. */
async function finish({ process, verdict }: Helper, sent: Promise<void>): Promise<string | null> {
  let local: string | null = null;
  try {
    await sent;
  } catch (error) {
    local = messageOf(error);
    await process.kill();
  }
  return (await verdict) ?? local;
}
