import type { Blueprint } from "../model/blueprint.ts";
import type { CalleePins } from "../model/bound.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, JournalEvent, NodeSettled, ParentLink } from "../model/events.ts";
import type { IdleSpan } from "../model/idle-span.ts";
import type { Json } from "../model/json.ts";
import type { RunStatus, SaidUse } from "../model/outcome.ts";
import type { Ahead } from "../ports/journal.ts";
import type { Progress } from "../ports/performer.ts";

/** A blueprint that a call runs, bound to the configuration, by its content hash. */
export interface Callee {
  readonly blueprint: Blueprint;
  readonly document: string;
  readonly file?: string;
}

export type Callees = ReadonlyMap<string, Callee>;

export interface StartRequest {
  readonly blueprint: Blueprint;
  /** The document as it was read; kept under its content hash so that the run keeps the definition it started with. */
  readonly document: string;
  readonly file?: string;
  readonly contentHash: string;
  readonly bindingHash: string;
  /** What configuration supplies, as text; kept under its hash, so that a later change of it can be told. */
  readonly binding?: string;
  readonly task: string;
  /** The run id when absent. */
  readonly taskId?: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Absolute. */
  readonly cwd: string;
  readonly maxSteps?: number;
  readonly maxRetries?: number;
  /** Who starts it takes a task of high risk upon them; inside calls and maps too. */
  readonly acceptRisk?: true;
  /** Everything that calls lead to, and how: by reference. */
  readonly callees?: Callees;
  readonly calls?: CalleePins;
  /** Waits for its turn where another run has the tree or the key; refused when absent. */
  readonly turn?: Turn;
  /** Nobody wants it any more: whatever it waits for before it begins ends, and it is refused. */
  readonly signal?: AbortSignal;
}

/** A run that waits for others, first come first served. */
export interface Turn {
  /** Told who stands before it, whenever that changes: live runs first, then those that wait longer. */
  ahead(runs: readonly Ahead[]): void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

export interface ResumeRequest {
  readonly run: string;
  readonly blueprint: Blueprint;
  readonly callees?: Callees;
  readonly contentHash: string;
  readonly bindingHash: string;
  /** As in {@link StartRequest}; kept where changes are accepted. */
  readonly binding?: string;
  readonly acceptChanges: boolean;
  /** The document of the blueprint; kept where changes are accepted. */
  readonly document?: string;
  readonly calls?: CalleePins;
  /** Decides about a node whose outcome is unknown, or at which the run halted; the only way on from such an end. */
  readonly settle?: Settlement;
  /**
   * Who ends it: it is taken over only to be stopped. Nothing of it is performed,
   * so whatever it would need may be gone or changed.
   */
  readonly stop?: string;
  /** As in {@link StartRequest}. */
  readonly signal?: AbortSignal;
}

export interface Settlement {
  /** Where it was given to a run around this one; else it gets a new one. */
  readonly id?: string;
  /** Inside a call or a map a path: `call/child`, `map[2]/child`. */
  readonly node: string;
  readonly as: NodeSettled["as"];
  readonly by: string;
  readonly reason?: string;
  /** Passes beyond the cap, with `again`. */
  readonly grant?: number;
  /** What agents have used, in all, that had not said it. */
  readonly used?: SaidUse;
}

/** A new run that goes another way from a pass of an earlier one; what that recorded before is taken over. */
export interface ForkRequest {
  readonly run: string;
  readonly node: string;
  /** The last one when absent. */
  readonly pass?: number;
  /** The tree stays as it is; else it goes back to the checkpoint before the pass. */
  readonly keepTree: boolean;
  /** When nothing of the earlier run was at work: a tree in which something was changed then does not go back. */
  readonly idle?: readonly IdleSpan[];
  /** As the earlier run was started. */
  readonly start: StartRequest;
}

/** Refused before any effect. `exit` is the code of the command line. */
export interface Refusal {
  readonly refused:
    | "missing_capability"
    | "bad_input"
    | "changed"
    | "not_found"
    | "conflict"
    | "finished"
    | "unavailable";
  readonly message: string;
  /** Further reasons, as sentences of their own. */
  readonly also?: readonly string[];
  /** What stands behind the message, a line each. */
  readonly details?: readonly string[];
  readonly hint?: string;
  /** The run that has the working tree or the key, where that is why. */
  readonly holder?: string;
}

/** Told of everything in order; must not throw. Progress is live only and may be dropped under load. */
export interface Observer {
  event(event: JournalEvent): void;
  progress(attempt: Attempt, progress: Progress): void;
  /** Who is told of a run inside; nobody where it is absent. */
  inside?(parent: ParentLink): Observer;
  /** All that came by now is committed. */
  quiet?(): void;
}

export interface RunEnd {
  readonly run: string;
  readonly status: RunStatus;
  readonly reason: string | null;
}

/** A run that this process executes. */
export interface RunHandle {
  readonly run: string;
  /**
   * Resolves when the run is over, halted or parked; never rejects but for a bug or a store that became unavailable.
   */
  readonly end: Promise<RunEnd>;
  /** Asks for an orderly stop; a second call ends the children at once. */
  stop(by: string): void;
  /** Delivers an event from outside, e.g. an answer; one to a gate inside a call or a map names its path. */
  deliver(event: EventBody): void;
  /**
   * Lets go of a run in which nothing but questions to people stand: `end` reads `waiting`, and whoever takes it over
   * asks them again. False, and nothing has changed, where it cannot be left so.
   */
  leave(how: Leave): boolean;
  /** False while something else goes on, an answer is being taken, or a commit is under way. */
  canLeave(how: Leave): boolean;
}

/**
 * A run that is parked is this process's as long as that lives. One inside a run that halts is suspended, for whoever
 * goes on with that, and may wait for a time, too, which goes on counting.
 */
export type Leave = "park" | "suspend";

export interface Engine {
  start(request: StartRequest, observer: Observer): Promise<RunHandle | Refusal>;
  resume(request: ResumeRequest, observer: Observer): Promise<RunHandle | Refusal>;
  fork(request: ForkRequest, observer: Observer): Promise<RunHandle | Refusal>;
}
