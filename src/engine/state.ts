import type { Bits } from "../graph/bits.ts";
import { emptyBits } from "../graph/bits.ts";
import { at } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import { Reach } from "../graph/reach.ts";
import type { RunLimits } from "../model/settings.ts";
import type { Attempt } from "../model/attempt.ts";
import type { HaltCause, NodeWaiting, RunHalting } from "../model/events.ts";
import type { InnerHalt, NodeResult, ProgressMark, Reason, RunStatus, Usage } from "../model/outcome.ts";
import { zeroUsage } from "../model/usage.ts";
import { Waits } from "./waits.ts";

/** Where a node stands between its start and its end. */
export const stage = {
  idle: 0,
  /** Due, arrivals taken, waiting for a place. */
  queued: 1,
  /** Claimed; its outcome is awaited. */
  running: 2,
  /** Waiting for the delay of a retry. */
  delayed: 3,
  /** Its next attempt is due. */
  again: 4,
  /**
   * Claimed by an engine that died, so that its outcome is unknown; or held by a run inside that waits for a decision.
   */
  unconfirmed: 5,
} as const;

/** A node whose latest pass did not succeed, until a new pass around it begins. */
export interface Miss {
  /** Success only where the edge it took says `as: failed`. */
  readonly outcome: "success" | "failure" | "error" | "cancelled" | "skipped";
  /** Whether a person said no. */
  readonly declined: boolean;
  /** How its path went on: over an edge, or not. */
  readonly way: "edge" | "no_edge" | "end" | "as_failed" | "broken" | "rejected" | "absorbed";
  readonly reason: Reason;
  /** The halt it calls for, until a person settles it. */
  readonly halt: HaltCause | null;
  /** The node whose miss broke this one's arm. */
  readonly because: number;
  /** Those that together call for the halt, where it takes more than one. */
  readonly failures?: readonly Attempt[];
}

/**
 * A run in memory. `reduce` owns it and updates it in place; nobody else writes. Everything here but `reach` and
 * `waits`, which are derived, follows from the events alone.
 */
export interface RunState {
  readonly plan: Plan;
  phase: "new" | "live" | "finished";
  status: RunStatus;
  /** What it is bound by: as its journal says, else as its blueprint does. */
  limits: RunLimits;
  /** Those of the command line, which win. */
  maxSteps: number | null;
  maxRetries: number | null;

  /** By arc: whether it holds an arrival, and the step of the start that sent it. */
  readonly full: Uint8Array;
  readonly sentAtStep: Int32Array;
  /** The arrival that opens the run. */
  opened: boolean;

  /** By node: arrivals that wait, and those of its arms that are still empty. */
  readonly arrivals: Int32Array;
  readonly emptyArms: Int32Array;
  /** By node: whether one of the arrivals came over a loop edge. */
  readonly newPass: Uint8Array;
  /** By node: whether a join that needs fewer arms has started in this pass. */
  readonly met: Uint8Array;
  readonly stage: Uint8Array;
  readonly pass: Int32Array;
  readonly attempt: Int32Array;
  readonly step: Int32Array;
  readonly retries: Int32Array;
  /**
   * By node: passes that count against its cap (of the task for an agent,
   * else of this run), and those granted beyond it.
   */
  readonly charged: Int32Array;
  readonly granted: Int32Array;
  /** Nodes that are live: anything but idle, or with arrivals. */
  readonly live: Bits;
  /** Nodes that are not idle. */
  readonly busy: Bits;
  busyNodes: number;
  liveNodes: number;
  /** First come, first served; entries before `queueHead` have been served. */
  readonly queue: number[];
  queueHead: number;
  readonly again: number[];
  readonly delayed: Map<number, NodeResult>;
  /** By delayed node: until when its provider asked it to pause, in milliseconds since the epoch. */
  readonly asleep: Map<number, number>;
  readonly unconfirmed: Map<number, Reason>;
  /** By node: how a run inside its attempt halted. */
  readonly held: Map<number, InnerHalt>;
  running: number;
  /** Running nodes in which nothing is at work, and what that waits for. */
  readonly resting: Map<number, Pick<NodeWaiting, "until" | "time">>;
  /** Running nodes and those between two attempts: ones that work, and ones that wait for a person or a time. */
  workers: number;
  idlers: number;
  starts: number;
  readonly misses: Map<number, Miss>;
  /** Nodes that a met join no longer waits for. */
  readonly lost: Set<number>;

  /** Of ended attempts. */
  usage: Usage;
  /** By running node: what its attempt says it has used so far. */
  readonly spending: Map<number, Usage>;
  /** By node with `progress`: its last failure, and what that measured. */
  readonly progress: Map<number, { readonly mark: ProgressMark; readonly attempt: Attempt }>;
  /** By whom. */
  stopRequested: string | null;
  timeIsSpent: boolean;
  halt: RunHalting | null;
  /** The strongest halt that a miss calls for and that has not been journaled. */
  due: RunHalting | null;
  /** Milliseconds in which something worked, and since when something does. */
  spentMs: number;
  workingSince: number | null;
  lastAt: number;
  closing: "open" | "running" | "done";

  readonly reach: Reach;
  readonly waits: Waits;
}

export function initial(plan: Plan): RunState {
  const { size, from } = plan.graph;
  return {
    plan,
    phase: "new",
    status: "running",
    limits: plan.blueprint.limits,
    maxSteps: null,
    maxRetries: null,
    full: new Uint8Array(from.length),
    sentAtStep: new Int32Array(from.length),
    opened: false,
    arrivals: new Int32Array(size),
    emptyArms: plan.armsInto.slice(),
    newPass: new Uint8Array(size),
    met: new Uint8Array(size),
    stage: new Uint8Array(size),
    pass: new Int32Array(size),
    attempt: new Int32Array(size),
    step: new Int32Array(size),
    retries: new Int32Array(size),
    charged: new Int32Array(size),
    granted: new Int32Array(size),
    live: emptyBits(size),
    busy: emptyBits(size),
    busyNodes: 0,
    liveNodes: 0,
    queue: [],
    queueHead: 0,
    again: [],
    delayed: new Map(),
    asleep: new Map(),
    unconfirmed: new Map(),
    held: new Map(),
    running: 0,
    resting: new Map(),
    workers: 0,
    idlers: 0,
    starts: 0,
    misses: new Map(),
    lost: new Set(),
    usage: zeroUsage,
    spending: new Map(),
    progress: new Map(),
    stopRequested: null,
    timeIsSpent: false,
    halt: null,
    due: null,
    spentMs: 0,
    workingSince: null,
    lastAt: 0,
    closing: "open",
    reach: new Reach(plan),
    waits: new Waits(size),
  };
}

/** Live: running, queued, waiting for a retry or a settlement, or holding an arrival. */
export function isLive(state: RunState, node: number): boolean {
  return at(state.stage, node) !== stage.idle || at(state.arrivals, node) > 0;
}

/** Whether anything is at work: not what waits for a person or a time, and not what a provider asked to pause. */
export function isWorking(state: RunState): boolean {
  return state.workers > state.asleep.size;
}
