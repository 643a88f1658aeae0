import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { ProcessResult } from "../ports/processes.ts";
import { tellingLine } from "./telling-line.ts";

/** Exit codes by which a shell says that it could not run a command at all. */
const couldNotRun: ReadonlyMap<number, string> = new Map([
  [126, "a command may not be executed"],
  [127, "a command was not found"],
]);

/**
 * What the end of a command means for its node: exit 0 is success, any other
 * answer a failure, what could not run an error.
 */
export function resultOf(result: ProcessResult, timeoutMs: number | null): NodeResult {
  const pids = result.survivors.map(({ pid }) => pid);
  const survivors = pids.length === 0 ? {} : { survivors: pids };
  const texts = { output: result.output, ...streamsBeside(result), ...survivors };
  const left = survivorsOf(result);
  const { end } = result;
  switch (end.kind) {
    case "exit": {
      const why = couldNotRun.get(end.code);
      if (why !== undefined) {
        const text = `exit code ${end.code}: ${why}${toldBy(result)}${left}`;
        return { outcome: "error", reason: { code: "could_not_start", text }, exit: end.code, ...texts };
      }
      if (end.code === 0 && left === "") return { outcome: "success", exit: 0, ...texts };
      const text = `exit code ${end.code}${end.code === 0 ? "" : toldBy(result)}${left}`;
      return {
        outcome: end.code === 0 ? "success" : "failure",
        reason: { code: "exit", text },
        exit: end.code,
        ...texts,
      };
    }
    case "signal":
      return {
        outcome: "failure",
        reason: { code: "signal", text: `ended by ${end.signal}${left}` },
        signal: end.signal,
        ...texts,
      };
    case "timeout":
      return {
        outcome: "failure",
        reason: { code: "timeout", text: `took longer than ${durationText(timeoutMs ?? 0)}${left}` },
        ...texts,
      };
    case "cancelled":
      return { outcome: "cancelled", reason: { code: "cancelled", text: `cancelled${left}` }, ...texts };
    case "could_not_start":
      return { outcome: "error", reason: { code: "could_not_start", text: end.message }, beforeEffect: true };
    case "spill":
      return { outcome: "error", reason: { code: "spill", text: `${end.message}${left}` }, ...texts };
  }
}

/** `stdout` and `stderr` only where they are not what `output` says already. */
function streamsBeside({
  output,
  stdout,
  stderr,
}: Pick<ProcessResult, "output" | "stdout" | "stderr">): Pick<NodeResult, "stdout" | "stderr"> {
  if (stderr.bytes === 0) return {};
  return isSameText(stderr, output) ? { stdout } : { stdout, stderr };
}

function isSameText(a: CapturedText, b: CapturedText): boolean {
  return a.bytes === b.bytes && a.text === b.text && a.blob === b.blob;
}

function survivorsOf({ survivors }: ProcessResult): string {
  return survivors.length === 0 ? "" : `; could not be ended: process ${survivors.map(({ pid }) => pid).join(", ")}`;
}

function toldBy(result: ProcessResult): string {
  const line = tellingLine(result);
  return line === "" ? "" : `: ${line}`;
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** As a document writes it: the largest unit that divides it. */
function durationText(ms: number): string {
  const unit = units.find(([size]) => ms >= size && ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[0]}${unit[1]}`;
}
