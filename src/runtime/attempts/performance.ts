import { isAlive } from "../processes/identity.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { stackOf } from "../../model/thrown.ts";
import type { NodeResult, Reason } from "../../model/outcome.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext, Performer, Progress } from "../../ports/performer.ts";
import { BlobFailure } from "../blobs/failure.ts";
import type { Live } from "../context.ts";
import { ScratchFailure } from "../scratch/scratch.ts";
import { withProgress } from "./progress.ts";
import { admissible } from "./result.ts";

export interface PerformanceOptions {
  readonly performer: Performer;
  readonly timeoutMs: number | null;
  readonly clock: Clock;
  /** What the performer acts with, around the signal and the report of this performance. */
  readonly context: (live: Live) => ActionContext;
  readonly report: (progress: Progress) => void;
  /** What a result is where the node is held to what its blueprint promises. */
  readonly held?: ((result: NodeResult) => Promise<NodeResult>) | undefined;
  /** One of these two is called, exactly once. */
  readonly ended: (result: NodeResult) => void;
  /**
   * It outlived its timeout or cancellation, so what it does and has done
   * is unknown; the reason names what still lives.
   */
  readonly leftBehind: (reason: Reason) => void;
}

/**
 * One attempt on its way. Whatever the performer does — answers, throws, hangs, answers late — the attempt is over
 * exactly once. Where the performer keeps its own timeout, with the grace its processes need, this is the outer one.
 */
export class Performance implements Live {
  readonly #options: PerformanceOptions;
  /** When its time is up, where it does not keep its own. */
  readonly #due: number;
  #processes: ProcessIdentity[] | undefined;
  #abort: AbortController | undefined;
  #why: "timeout" | "cancelled" | null = null;
  #over = false;
  #whenOver: (() => void) | undefined;
  /** Resolves when the performer has come back, however late. */
  readonly gone: Promise<void>;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PerformanceOptions) {
    this.#options = options;
    const { performer, context, timeoutMs, clock } = options;
    this.#due = performer.untimed === true && timeoutMs !== null ? clock.now() + timeoutMs : Infinity;
    if (timeoutMs !== null) {
      const slackMs = performer.untimed === true ? 0 : limits.performanceSlackMs;
      this.#cancelTimer = clock.after(timeoutMs + slackMs, () => this.#interrupt("timeout"));
    }
    this.gone = this.#perform(performer, context(this));
  }

  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  /** Of one whose time is up too it stands above that. */
  cancel(): void {
    this.#interrupt("cancelled");
    this.#why = "cancelled";
  }

  /** Ends its processes without grace; what is left of their trees the performer then ends. */
  endAtOnce(): void {
    for (const process of this.#processes ?? []) if (isAlive(process)) kill(process.pid);
  }

  /** Resolves when it has ended or is left behind. */
  over(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#over) resolve();
      else this.#whenOver = resolve;
    });
  }

  #interrupt(why: "timeout" | "cancelled"): void {
    if (this.#over || this.#why !== null) return;
    this.#why = why;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(limits.performanceAbandonMs, () => this.#leaveBehind(why));
    (this.#abort ??= new AbortController()).abort();
  }

  report(progress: Progress): void {
    if (this.#over) return;
    if (progress.kind === "process" && (this.#processes ??= []).length < limits.processesPerAttempt)
      this.#processes.push(progress.process);
    this.#options.report(progress);
  }

  #leaveBehind(why: "timeout" | "cancelled"): void {
    if (!this.#close()) return;
    const alive = (this.#processes ?? []).filter((process) => isAlive(process)).map(({ pid }) => pid);
    this.#options.leftBehind(leftBehind(why, alive));
  }

  /** False where it is over already. */
  #close(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#cancelTimer?.();
    this.#whenOver?.();
    return true;
  }

  async #perform(performer: Performer, context: ActionContext): Promise<void> {
    const result = await perform(performer, context, this.#options.held);
    if (!this.#close()) return;
    // One that let nothing else run has kept the timer from being heard.
    if (this.#options.clock.now() > this.#due) this.#why ??= "timeout";
    this.#options.ended(this.#asEnded(result));
  }

  #asEnded(result: NodeResult): NodeResult {
    switch (this.#why) {
      case null:
        return result;
      case "timeout":
        return timedOut(result, this.#options.timeoutMs);
      case "cancelled":
        return broken(result);
    }
  }
}

async function perform(
  performer: Performer,
  context: ActionContext,
  held: PerformanceOptions["held"],
): Promise<NodeResult> {
  let answered: NodeResult | undefined;
  try {
    answered = admissible(await performer.perform(context));
    const result = held === undefined ? answered : await held(answered);
    return context.node.progress === undefined ? result : await withProgress(context, result);
  } catch (error) {
    const { usage, agent, survivors } = answered ?? {};
    const stands = { ...(usage && { usage }), ...(agent && { agent }), ...(survivors && { survivors }) };
    return { outcome: "error", reason: reasonOf(error, context), ...stands };
  }
}

function reasonOf(error: unknown, { node }: ActionContext): Reason {
  if (error instanceof BlobFailure) return { code: "spill", text: error.message };
  if (error instanceof ScratchFailure) return { code: "could_not_start", text: `${error.message}; ${error.hint}` };
  const text = `performing ${node.id} threw: ${stackOf(error).split("\n").slice(0, 3).join(" ")}`;
  return { code: "internal", text };
}

function leftBehind(why: "timeout" | "cancelled", alive: readonly number[]): Reason {
  const after = `it did not end within ${limits.performanceAbandonMs / 1000} s of its ${why === "timeout" ? "timeout" : "cancellation"}`;
  const one = alive.length === 1;
  const what =
    alive.length === 0
      ? "no process of it lives"
      : `process${one ? "" : "es"} ${alive.join(", ")} still live${one ? "s" : ""}`;
  return { code: "left_behind", text: `${after}, so its outcome is unknown; ${what}` };
}

/**
 * Its time decides, not what it says of itself: an answer that comes after it is none. A run inside
 * that waits for a decision is not over.
 */
function timedOut(result: NodeResult, timeoutMs: number | null): NodeResult {
  if (result.reason?.code === "timeout" || result.halt !== undefined) return result;
  const { value: _value, ports: _ports, option: _option, ...said } = result;
  return {
    ...said,
    outcome: "failure",
    reason: { code: "timeout", text: `no end after ${(timeoutMs ?? 0) / 1000} s` },
  };
}

/** What breaks off with a throw when it is told to end has done as it was told. */
function broken(result: NodeResult): NodeResult {
  if (result.outcome !== "error" || result.reason?.code !== "internal") return result;
  return { ...result, outcome: "cancelled", reason: { code: "cancelled", text: result.reason.text } };
}

function kill(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // Gone in between, or not the leader of a group.
    }
  }
}
