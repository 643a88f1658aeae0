import type { Json } from "./json.ts";
import type { Money } from "./settings.ts";

/** How one attempt of a node ended. `failure` is an answer and is routed; `error` means it could not be carried out. */
export type Outcome = "success" | "failure" | "error" | "cancelled" | "skipped" | "unconfirmed";

/** Why; stable codes, so that a screen, a rule and a test can tell them apart. */
export type ReasonCode =
  | "exit" // a command's exit code
  | "signal" // ended by a signal it did not get from us
  | "timeout"
  | "cancelled"
  | "could_not_start" // 126, 127, spawn failed
  | "tool_error"
  | "declined" // a person said no
  | "no_terminal" // a gate with nobody to ask
  | "end_of_input"
  | "output_invalid" // output: json or schema did not parse
  | "expected_failure"
  | "refusal"
  | "turn_limit"
  | "output_limit"
  | "give_up"
  | "auth"
  | "quota"
  | "overloaded"
  | "connection"
  | "context_overflow"
  | "stalled" // showed no sign of life
  | "provider" // any other answer of a provider that is no answer
  | "cassette_mismatch"
  | "write_scope" // changed files that it may not
  | "broken_arm"
  | "join_unmet"
  | "lost_join" // a join that needs fewer arms started without it
  | "cap"
  | "no_progress"
  | "limit" // steps, time, tokens, cost
  | "crash" // the engine died while it ran
  | "taken_up" // it only waited, or holds runs that go on, when another process took the run over
  | "left_behind" // it outlived its timeout or cancellation
  | "spill" // could not keep its output
  | "sandbox" // a box could not be made, or was lost
  | "sandbox_limit" // a command ran into a limit of its box
  | "child" // a run inside it did not succeed
  | "internal";

export interface Reason {
  readonly code: ReasonCode;
  /** One line, masked, without a trailing full stop. */
  readonly text: string;
}

/** A captured text. `text` is whole up to `limits.inlineValueBytes`, else its tail; `blob` then holds it all. */
export interface CapturedText {
  readonly text: string;
  readonly bytes: number;
  /** SHA-256 in hex of the full text in the blob store. */
  readonly blob?: string;
  /** Set when `limits.output` was passed and the middle was dropped; bytes then counts what the process wrote. */
  readonly cut?: true;
}

/** What a run can have a budget of. */
export type Budget = "tokens" | "cost";

/** What a person says was used. */
export interface SaidUse {
  readonly tokens?: number;
  readonly cost?: Money;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
  /** Absent means unknown, never zero. */
  readonly cost?: number;
  /** Of the cost; absent in what was recorded before there was more than one: US dollars. */
  readonly currency?: string;
  /**
   * Set where a provider said nothing of tokens, so that they, and the cost,
   * are an estimate from the text, on the high side.
   */
  readonly estimated?: true;
  /**
   * An agent that was at work and has not said what it used: all else is then the
   * least, and nobody knows what is left of a budget.
   */
  readonly unsaid?: string;
}

/**
 * What `progress:` measured after a failure; the loop goes on only while `measure`
 * falls, or without one while the signature changes.
 */
export interface ProgressMark {
  /** The failure, freed of what changes from run to run. */
  readonly signature: string;
  readonly measure?: number;
}

/**
 * How a run inside a node halted; the node's own run halts alike until a person
 * decides. `node` is a path, `child` or `map[2]/child`.
 */
export interface InnerHalt {
  readonly cause: "escalated" | "needs_attention" | "limit";
  readonly node: string;
  readonly reason: Reason;
  readonly iteration?: { readonly n: number; readonly max: number };
  readonly unsaid?: readonly Budget[];
}

/**
 * What performing one attempt gives back. Never thrown: a throw of a performer is a bug and becomes `error: internal`.
 */
export interface NodeResult {
  readonly outcome: "success" | "failure" | "error" | "cancelled";
  readonly reason?: Reason;
  /** What `{node}` reads: both streams as they came, the last message, the answer. */
  readonly output?: CapturedText;
  /** Present only where they differ from `output`. */
  readonly stdout?: CapturedText;
  readonly stderr?: CapturedText;
  readonly exit?: number;
  readonly signal?: string;
  /** Value of a node whose `output` is not text, and ports written to `$TRAMMEL_OUTPUT`. */
  readonly value?: Json;
  readonly ports?: Readonly<Record<string, Json>>;
  /** The option that was chosen; routes by `when: <id>`. */
  readonly option?: string;
  readonly usage?: Usage;
  /** What did the work of an agentic node: the provider and, where one was named, its model. */
  readonly agent?: { readonly provider: string; readonly model?: string };
  /** How long a provider that is out of quota asked to wait. */
  readonly retryAfterMs?: number;
  /** True where it is known that nothing outside was touched, so that an error may be retried. */
  readonly beforeEffect?: boolean;
  /** Processes of it that could not be ended: no further attempt begins beside them. */
  readonly survivors?: readonly number[];
  readonly progress?: ProgressMark;
  /** The attempt is not over: a run inside it waits for a decision. */
  readonly halt?: InnerHalt;
}

export type LiveStatus = "running" | "waiting";
export type EndStatus =
  | "succeeded"
  | "failed"
  | "rejected"
  | "escalated"
  | "limit"
  | "needs_attention"
  | "stopped"
  | "interrupted";
export type RunStatus = LiveStatus | EndStatus;

/**
 * Whether a run with this end waits for a person's decision rather than being over: settling a node goes on with it.
 */
export function isReopenable(status: RunStatus): boolean {
  return status === "needs_attention" || status === "escalated" || status === "limit";
}

/** Whether nothing makes a run of this status go on. */
export function isOver(status: RunStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "rejected" || status === "stopped";
}

/** Exit codes of the command line; see docs/spec. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  escalated: 3,
  limit: 4,
  parked: 5,
  unavailable: 6,
  internal: 70,
  stopped: 130,
} as const;

export function exitCodeOf(status: RunStatus): number {
  switch (status) {
    case "succeeded":
      return exitCodes.ok;
    case "failed":
    case "rejected":
      return exitCodes.failed;
    case "escalated":
    case "needs_attention":
      return exitCodes.escalated;
    case "limit":
      return exitCodes.limit;
    case "running":
    case "waiting":
    case "interrupted":
      return exitCodes.parked;
    case "stopped":
      return exitCodes.stopped;
  }
}
