import type { UsageMeter } from "../engine/limits/usage-meter.ts";
import type { Json } from "../model/json.ts";
import type { NodeClass, NodeType } from "../model/node.ts";
import type { RunLimits } from "../model/settings.ts";
import type { RunHalting } from "../model/events.ts";
import type { Outcome, Reason, RunStatus, Usage } from "../model/outcome.ts";

/**
 * What a run shows on any screen. Everything here is derived from its
 * definition and its events, in whatever batches they come.
 */
export interface RunView {
  run: string;
  blueprint: string;
  taskId: string;
  task: string;
  file: string | null;
  cwd: string;
  /** The root of the worktree that the run has to itself. */
  worktree: string | null;
  /** What it is bound by; empty where that was not recorded. */
  limits: RunLimits;
  /** Those of the command line, which win. */
  overrides: Pick<RunLimits, "steps" | "retries">;
  status: RunStatus;
  reason: string | null;
  /** Milliseconds since the epoch; 0 before the first event. */
  startedAt: number;
  endedAt: number | null;
  /** Sequence number of the last event folded in. */
  seq: number;
  halting: RunHalting | null;
  /** Nodes that keep a pause their provider asked for, and until when, in milliseconds since the epoch. */
  readonly asleep: Map<string, number>;
  walkedPast: readonly string[];
  /** Model use so far, of ended attempts and of those at work. */
  usage: Usage;
  readonly meter: UsageMeter;
  /** How many nodes are in a state of work, kept so that no event has to look at them all. */
  readonly atWork: { busy: number; waiting: number };
  /** In document order; nodes that only the journal knows come last. */
  readonly nodes: Map<string, NodeView>;
}

export type NodeState = "idle" | "running" | "waiting" | "retrying" | "asleep" | Outcome;

export interface NodeView {
  readonly id: string;
  /** Null where the definition is gone. */
  readonly type: NodeType | null;
  readonly class: NodeClass | null;
  readonly title: string | null;
  state: NodeState;
  /** Starts, retries not counted. */
  passes: number;
  /** Passes charged to the task and the cap; agentic nodes only. */
  charged: { readonly passes: number; readonly cap: number } | null;
  readonly attempts: AttemptView[];
}

export interface AttemptView {
  /** From 1, over all passes of the node. */
  readonly n: number;
  readonly pass: number;
  readonly attempt: number;
  /** Null while it runs. */
  outcome: Outcome | null;
  reason: Reason | null;
  readonly startedAt: number;
  endedAt: number | null;
  /** What the node said: whole, or its tail when it is long. */
  output: string | null;
  /** Bytes of the whole output. */
  outputBytes: number;
  /** SHA-256 of the whole output where `output` is only its tail. */
  outputBlob: string | null;
  usage: Usage | null;
  /** SHA-256 of what an agent was given beside its prompt. */
  bundle: string | null;
  /** Files that an agent read outside of its context, and those it asked for and may not read; the first of each. */
  readonly outside: string[];
  readonly refused: string[];
  /** Prompt of a gate that waits for a person. */
  question: string | null;
  /** Whose question it is or was last: that of the gate before the node, where it is asked again. */
  gate: string | null;
  /** Of people, to it as a gate and to gates before it; the first of them. */
  readonly answers: AnswerView[];
}

export interface AnswerView {
  readonly gate: string;
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly answer: Json;
}
