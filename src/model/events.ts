import type { AgentEvent } from "./agent-event.ts";
import type { Attempt } from "./attempt.ts";
import type { Bound } from "./bound.ts";
import type { GateAnswered, GateOpened } from "./gate-events.ts";
import type { HeadsMark } from "./heads.ts";
import type { Json } from "./json.ts";
import type { Budget, EndStatus, NodeResult, Reason, SaidUse, Usage } from "./outcome.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { Worktree } from "./worktree.ts";

/** Where a run inside a run belongs. */
export interface ParentLink {
  readonly run: string;
  readonly node: string;
  readonly pass: number;
  /** Index of the item, in a map. */
  readonly item?: number;
  /** The top run's blueprint and the way from it, `call/` or `call/map[2]/`: passes are counted there. */
  readonly blueprint: string;
  readonly path: string;
}

export interface RunStarted extends Bound {
  readonly type: "run.started";
  readonly taskId: string;
  readonly task: string;
  readonly blueprint: string;
  /** Where the document was read from, for people. */
  readonly file?: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Where the run was asked for, and where it works unless it has a worktree. */
  readonly cwd: string;
  readonly worktree?: Worktree;
  /** Absolute folder that its agents are recorded into: what lies there is no work of theirs. */
  readonly cassettes?: string;
  /**
   * The pass before which this run leaves the way of an earlier one. What is
   * recorded up to `run.resumed` was taken over from there.
   */
  readonly fork?: { readonly run: string; readonly node: string; readonly pass: number };
  readonly owner: ProcessIdentity;
  readonly parent?: ParentLink;
  /** Overrides of the command line; they win over the document. */
  readonly maxSteps?: number;
  readonly maxRetries?: number;
  readonly acceptRisk?: true;
}

export interface RunResumed {
  readonly type: "run.resumed";
  readonly owner: ProcessIdentity;
  /** Nodes that a provider has asked to pause, and until when, in milliseconds since the epoch. */
  readonly asleep?: Readonly<Record<string, number>>;
  /**
   * Where changed content or binding was accepted, or a run around it
   * leaves it other bounds: what the run goes on with.
   */
  readonly accepted?: Bound;
  /** What comes before was done in the run that this one is a fork of. */
  readonly fork?: true;
}

/**
 * Passes of this task as the store counts them over all its runs; comes first in a run, after a resume,
 * and whenever another process charged one in between.
 */
export interface PassesSynced {
  readonly type: "passes.synced";
  readonly passes: Readonly<Record<string, number>>;
}

/** A start that is due and has taken its arrivals, but waits for one of `limits.parallel` places; its claim follows. */
export interface NodeQueued {
  readonly type: "node.queued";
  readonly node: string;
  readonly pass: number;
  readonly step: number;
  readonly from: readonly string[];
}

/** The claim. Committed durably before the action begins; an agentic node's pass is charged by this very record. */
export interface NodeStarted extends Attempt {
  readonly type: "node.started";
  readonly step: number;
  /** Source nodes whose arrivals this start consumed; empty for the entry and for a retry. */
  readonly from: readonly string[];
  /**
   * Passes of the task charged for this node including this one, and the cap; agentic nodes
   * only, on attempt 1. A former name is charged as well.
   */
  readonly charged?: { readonly passes: number; readonly cap: number; readonly was?: string };
}

/** A child process of an attempt; written before its outcome so that a later engine can find a survivor. */
export interface NodeProcess extends Attempt {
  readonly type: "node.process";
  readonly process: ProcessIdentity;
}

export interface NodeEnded extends Attempt {
  readonly type: "node.ended";
  readonly result: NodeResult;
  /** Of a node that holds runs; absent in what was recorded before there was one. */
  readonly heads?: HeadsMark;
}

/** Whether nothing that goes on in runs inside the attempt is at work. */
export interface NodeWaiting extends Attempt {
  readonly type: "node.waiting";
  readonly waits: boolean;
  /**
   * Where it waits for nobody, but keeps pauses that providers asked for: when the
   * first is over, in milliseconds since the epoch.
   */
  readonly until?: number;
  /** Some of it waits for a time of its own; else all of it for people and providers. */
  readonly time?: true;
}

/** An error that will be tried again; the pass stays open. */
export interface NodeRetrying extends Omit<NodeEnded, "type"> {
  readonly type: "node.retrying";
  readonly delayMs: number;
  /**
   * When it is tried again, in milliseconds since the epoch, where a provider
   * asked for the pause: until then nothing works at it.
   */
  readonly until?: number;
}

/** The retry's delay is over. */
export interface RetryDue extends Attempt {
  readonly type: "retry.due";
}

/** Claimed by an engine that died before it recorded an outcome. */
export interface NodeUnconfirmed extends Attempt {
  readonly type: "node.unconfirmed";
  readonly reason: Reason;
  /** Of an agent that may have begun: if it has reported no usage, nobody knows it. */
  readonly unsaid?: true;
}

/** A person, a probe or the author's `idempotent` settled an unconfirmed attempt. */
export interface NodeSettled extends Attempt {
  readonly type: "node.settled";
  /** Of a person's decision, the same in the journals of all runs that it goes through: each takes it once. */
  readonly id?: string;
  readonly as: "done" | "failed" | "again";
  readonly by: string;
  readonly reason?: string;
  /** Passes granted beyond the cap, with `again`. */
  readonly grant?: number;
  /** What those agents of the run have used, in all, that had not said it. */
  readonly used?: SaidUse;
  /** With `again` of an attempt that holds a run which halted: the decision is about that node in it. */
  readonly inside?: InnerDecision;
}

export type InnerDecision = Pick<NodeSettled, "id" | "node" | "as" | "by" | "reason" | "grant" | "used">;

export interface NodeSkipped {
  readonly type: "node.skipped";
  readonly node: string;
  readonly reason: Reason;
  /** The node whose failure broke the arm. */
  readonly because?: string;
  readonly from: readonly string[];
}

/** Arrivals of an old pass that a new pass of `by` dropped. */
export interface ArrivalsSuperseded {
  readonly type: "arrivals.superseded";
  readonly by: string;
  readonly arrivals: readonly { readonly from: string; readonly to: string }[];
}

export interface AgentProgressed extends Attempt {
  readonly type: "agent.progressed";
  readonly event: AgentEvent;
}

export interface RunStopRequested {
  readonly type: "run.stop_requested";
  readonly by: string;
}

/** `limits.time` is used up. */
export interface RunTimeSpent {
  readonly type: "run.time_spent";
}

/** From here on nothing starts; what runs may finish (or is cancelled after a stop). */
export interface RunHalting {
  readonly type: "run.halting";
  readonly cause: HaltCause;
  readonly node?: string;
  readonly reason: Reason;
  /** The node whose output is the evidence; `node` where absent. */
  readonly evidence?: string;
  /** The failures that are the evidence together, in their order. */
  readonly failures?: readonly Attempt[];
  /** The escalation's iteration n/max. */
  readonly iteration?: { readonly n: number; readonly max: number };
  /** What it ran into was given with the run and holds as long as that does, whatever is accepted. */
  readonly lasting?: true;
  /** The budgets of which nobody knows what is left, until a person says what was used. */
  readonly unsaid?: readonly Budget[];
}

export type HaltCause = "stopped" | "escalated" | "needs_attention" | "limit" | "rejected";

export interface RunFinished {
  readonly type: "run.finished";
  readonly status: Exclude<EndStatus, "interrupted">;
  readonly reason?: string;
  /** Failures that were walked past. */
  readonly walkedPast: readonly string[];
  readonly usage: Usage;
}

/** Everything a journal can say. Add a member here, then follow the compiler. */
export type EventBody =
  | RunStarted
  | RunResumed
  | PassesSynced
  | NodeQueued
  | NodeStarted
  | NodeProcess
  | NodeWaiting
  | NodeEnded
  | NodeRetrying
  | RetryDue
  | NodeUnconfirmed
  | NodeSettled
  | NodeSkipped
  | ArrivalsSuperseded
  | GateOpened
  | GateAnswered
  | AgentProgressed
  | RunStopRequested
  | RunTimeSpent
  | RunHalting
  | RunFinished;

export type EventType = EventBody["type"];

/** Version written into each record; a reader migrates older ones and refuses newer ones. */
export const eventVersion = 1;

/** An event of the journal, numbered from 1 per run. What was committed together is one record; records are chained. */
export interface JournalEvent {
  readonly run: string;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** SHA-256 in hex over the record before and the record that holds this event. */
  readonly hash: string;
  readonly body: EventBody;
}

/**
 * Events whose record promises something to the outside: they are committed with synchronous=FULL
 * before anyone acts on them. All others ride in the next commit.
 */
const telemetry: ReadonlySet<EventType> = new Set<EventType>(["node.process", "agent.progressed"]);

export function isPromise(body: EventBody): boolean {
  return !telemetry.has(body.type);
}
