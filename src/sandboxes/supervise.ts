import { isReopenable, type RunStatus } from "../model/outcome.ts";
import type { RunFate, SandboxPool, SandboxVerdict } from "../ports/sandbox.ts";
import type { Engine, Refusal, RunEnd, RunHandle } from "../runtime/api.ts";

/** What becomes of the boxes of a run that has this status and is executed by nobody. */
function fateOfStatus(status: RunStatus): Exclude<RunFate, "kept"> {
  const isLive = status === "running" || status === "waiting" || status === "interrupted";
  return isLive || isReopenable(status) ? "resumable" : "over";
}

/** As {@link fateOfStatus}, of a run that may be executed by somebody, or that no store knows. */
export function verdictOfStatus(status: RunStatus | null): SandboxVerdict {
  if (status === null) return "over";
  return status === "running" || status === "waiting" ? "live" : fateOfStatus(status);
}

export interface Supervision {
  /** Told what a user should know. */
  readonly notice: (what: string) => void;
  /** Workspaces stay where a run is over. */
  readonly keep: boolean;
}

/** The same engine; a run of it is over once its boxes are gone. */
export function withSandboxes(
  engine: Engine,
  pool: Pick<SandboxPool, "release">,
  { notice, keep }: Supervision,
): Engine {
  const release = async (run: string, fate: RunFate): Promise<void> => {
    for (const note of await pool.release(run, fate)) notice(note);
  };
  const supervised = (handle: RunHandle | Refusal): RunHandle | Refusal => {
    if ("refused" in handle) return handle;
    const end = handle.end.then(
      async (ended: RunEnd) => {
        const fate = fateOfStatus(ended.status);
        await release(ended.run, keep && fate === "over" ? "kept" : fate);
        return ended;
      },
      async (error: unknown) => {
        await release(handle.run, "resumable");
        throw error;
      },
    );
    end.catch(() => undefined); // whoever holds the handle sees it
    return {
      run: handle.run,
      end,
      stop: (by) => handle.stop(by),
      deliver: (event) => handle.deliver(event),
      park: () => handle.park(),
      canPark: () => handle.canPark(),
    };
  };
  return {
    start: async (request, observer) => supervised(await engine.start(request, observer)),
    resume: async (request, observer) => supervised(await engine.resume(request, observer)),
    fork: async (request, observer) => supervised(await engine.fork(request, observer)),
  };
}
