import type { ChildProcess } from "node:child_process";
import { PassThrough, pipeline, Readable, Writable } from "node:stream";
import type { LiveProcess, ProcessEnd, StartProcess } from "../../ports/processes.ts";
import { endLeftovers, endTreeOf, treeOf } from "./custody.ts";
import { newWord } from "./marker.ts";
import { type Started, startChild } from "./spawn.ts";

/** A child in custody whose streams belong to the caller, unmasked and unbounded. */
export const startLive: StartProcess = async (spec) => {
  const word = newWord();
  const started = await startChild({ ...spec, stdin: new Uint8Array(), outputBytes: 0 }, word);
  if ("problem" in started) return { kind: "could_not_start", message: started.problem };
  return live(started, word);
};

function live({ child, root, exit }: Started, word: string): LiveProcess {
  const tree = { ...treeOf(root, word), root };
  const began = performance.now();
  let killed: Promise<unknown> | undefined;
  const ended = exit.then(async (how): Promise<ProcessEnd> => {
    await (killed ?? endLeftovers(tree, () => performance.now() - began));
    if (killed !== undefined) return { kind: "cancelled" };
    return "code" in how ? { kind: "exit", code: how.code } : { kind: "signal", signal: how.signal };
  });
  return {
    process: root,
    ...streamsOf(child),
    end: ended,
    async kill() {
      killed ??= endTreeOf(tree, 0);
      await ended;
    },
  };
}

function streamsOf(child: ChildProcess): Pick<LiveProcess, "stdin" | "stdout" | "stderr"> {
  const stdin = child.stdin ?? new Writable();
  // A child that is gone breaks the pipe: its end says so.
  stdin.on("error", () => undefined);
  return { stdin, stdout: kept(child.stdout), stderr: kept(child.stderr) };
}

/**
 * Once a child has exited, Node reads to nowhere what nobody listens to yet;
 * behind another stream it waits for its reader.
 */
function kept(stream: Readable | null): Readable {
  return stream === null ? Readable.from([]) : pipeline(stream, new PassThrough(), () => undefined);
}
