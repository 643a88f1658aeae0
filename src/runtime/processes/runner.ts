import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessEnd, ProcessResult, ProcessRunner, ProcessSpec } from "../../ports/processes.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { endLeftovers, endTreeOf, treeOf } from "./custody.ts";
import { newWord } from "./marker.ts";
import { type CapturedOutput, ProcessOutput } from "./output.ts";
import { type Exit, type Started, startChild } from "./spawn.ts";

export interface RunnerParts {
  readonly blobs: BlobStore;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/**
 * Why the tree is ended before it ends by itself; the first cause counts, but
 * for a cancellation, which stands above the others.
 */
type Cut = "cancelled" | "timeout" | "spill";

const nothing: CapturedOutput = {
  output: { text: "", bytes: 0 },
  stdout: { text: "", bytes: 0 },
  stderr: { text: "", bytes: 0 },
};

export function createProcessRunner(parts: RunnerParts): ProcessRunner {
  return {
    async run(spec, signal) {
      if (signal.aborted) return { end: { kind: "cancelled" }, ...nothing, survivors: [] };
      const word = newWord();
      const started = await startChild(spec, word);
      if ("problem" in started)
        return {
          end: { kind: "could_not_start", message: parts.redactor.text(started.problem) },
          ...nothing,
          survivors: [],
        };
      return supervise(started, word, spec, signal, parts);
    },
  };
}

async function supervise(
  started: Started,
  word: string,
  spec: ProcessSpec,
  signal: AbortSignal,
  parts: RunnerParts,
): Promise<ProcessResult> {
  const { child, root, exit } = started;
  const tree = { ...treeOf(root, word), root };
  const began = parts.clock.now();
  const cut = Promise.withResolvers<Cut>();
  const output = new ProcessOutput(spec, parts.blobs, parts.redactor, () => cut.resolve("spill"));
  output.listen("stdout", child.stdout);
  output.listen("stderr", child.stderr);
  // A child that does not read, or is gone, breaks the pipe: its own exit says how it went.
  child.stdin?.on("error", () => undefined).end(spec.stdin);
  spec.onStart?.(root);

  const onAbort = (): void => cut.resolve("cancelled");
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  const disarm =
    spec.timeoutMs === undefined ? undefined : parts.clock.after(spec.timeoutMs, () => cut.resolve("timeout"));
  const first = await Promise.race([exit, cut.promise]);
  disarm?.();
  signal.removeEventListener("abort", onAbort);

  let survivors: readonly ProcessIdentity[];
  if (typeof first === "string") {
    survivors = await endTreeOf(tree);
  } else {
    await silence(started, output, parts.clock, 1);
    survivors = await endLeftovers(tree, () => parts.clock.now() - began);
  }
  await silence(started, output, parts.clock, limits.custodySweepRounds);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
  return conclude(typeof first === "string" && signal.aborted ? "cancelled" : first, output, survivors);
}

/**
 * Waits until all ends of the streams are closed, or nothing has arrived for `limits.pipeDrainMs`: something else may
 * hold them open. At most `rounds` such waits, for something may also go on writing.
 */
async function silence({ closed }: Started, output: ProcessOutput, clock: Clock, rounds: number): Promise<void> {
  let isClosed = false;
  const end = closed.then(() => (isClosed = true));
  for (let round = 0; round < rounds && !isClosed; round += 1) {
    const before = output.arrivals;
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    const disarm = clock.after(limits.pipeDrainMs, resolve);
    await Promise.race([end, passed]);
    disarm();
    if (output.arrivals === before) return;
  }
}

async function conclude(
  first: Exit | Cut,
  output: ProcessOutput,
  survivors: readonly ProcessIdentity[],
): Promise<ProcessResult> {
  try {
    return { end: endOf(first), ...(await output.finish()), survivors };
  } catch (error) {
    const message = messageOf(error);
    return { end: { kind: "spill", message }, ...(await output.remains()), survivors };
  }
}

function endOf(first: Exit | Cut): ProcessEnd {
  if (first === "cancelled" || first === "timeout") return { kind: first };
  if (first === "spill") return { kind: "spill", message: "the output could not be kept" };
  return "code" in first ? { kind: "exit", code: first.code } : { kind: "signal", signal: first.signal };
}
