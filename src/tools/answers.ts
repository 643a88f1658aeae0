import type { CapturedText } from "../model/outcome.ts";
import { limits } from "../model/limits.ts";
import { messageOf, systemCode } from "../model/thrown.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { ProcessResult } from "../ports/processes.ts";
import type { ToolResult } from "../ports/tool.ts";

export function said(text: string): CapturedText {
  return { text, bytes: Buffer.byteLength(text) };
}

export function success(text: string): ToolResult {
  return { outcome: "success", output: said(text) };
}

/** The answer is no: what was asked for cannot be done to what is there. */
export function failure(problem: string): ToolResult {
  return { outcome: "failure", output: said(""), problem };
}

/** What reading and writing files runs into. */
export function fileProblem(name: string, error: unknown): ToolResult {
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return failure(`${name} does not exist`);
    case "EISDIR":
      return failure(`${name} is a folder`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return failure(`${name}: not permitted`);
    default:
      return {
        outcome: "error",
        output: said(""),
        problem: `${name}: ${messageOf(error)}`,
      };
  }
}

/** A command's own outcome. 126 and 127 mean that it could not run at all. */
export async function commandResult(result: ProcessResult, timeoutMs: number, blobs: BlobStore): Promise<ToolResult> {
  const survivors = result.survivors.map(({ pid }) => pid);
  const ended = await endOf(result, timeoutMs, blobs);
  return survivors.length === 0 ? ended : { ...ended, survivors };
}

async function endOf(result: ProcessResult, timeoutMs: number, blobs: BlobStore): Promise<ToolResult> {
  const output = await readable(result.output, blobs);
  const { end } = result;
  const left =
    result.survivors.length === 0
      ? ""
      : `; could not be ended: process ${result.survivors.map(({ pid }) => pid).join(", ")}`;
  switch (end.kind) {
    case "exit":
      if (end.code === 0)
        return { outcome: "success", output, exit: 0, ...(left !== "" && { problem: left.slice(2) }) };
      if (end.code === 126 || end.code === 127)
        return { outcome: "error", output, exit: end.code, problem: `exit code ${end.code}: it could not run${left}` };
      return { outcome: "failure", output, exit: end.code, problem: `exit code ${end.code}${left}` };
    case "signal":
      return { outcome: "failure", output, problem: `ended by ${end.signal}${left}` };
    case "timeout":
      return {
        outcome: "failure",
        output,
        timedOut: true,
        problem: `took longer than ${Math.round(timeoutMs / 1000)} s${left}`,
      };
    case "cancelled":
      return { outcome: "cancelled", output, problem: `cancelled${left}` };
    case "could_not_start":
    case "spill":
      return { outcome: "error", output, problem: `${end.message}${left}` };
  }
}

/** Whole where it is short enough to be read, else its beginning and its end; the store keeps all of it. */
export async function readable(output: CapturedText, blobs: BlobStore): Promise<CapturedText> {
  if (output.blob === undefined) return output;
  const bytes = await blobs.get(output.blob).catch(() => null);
  if (bytes === null) return output;
  const text = Buffer.from(bytes).toString();
  if (text.length <= limits.toolTextCharacters) return { ...output, text };
  const half = limits.toolTextCharacters / 2;
  const cut = text.length - 2 * half;
  return {
    ...output,
    text: `${text.slice(0, half)}\n[… ${cut} characters left out …]\n${text.slice(-half)}`.toWellFormed(),
  };
}
