import type { Attempt } from "./attempt.ts";

/** What the engine asks of the runtime. Carried out only after the events it was decided with are committed. */
export type Command =
  /** Perform a claimed attempt and deliver `node.ended` (or `gate.*` first). */
  | ({ readonly type: "perform" } & Attempt)
  /** Abort a running attempt; it still delivers its outcome. */
  | ({ readonly type: "cancel"; readonly why: "stopped" | "limit" | "halted" | "lost_join" } & Attempt)
  /**
   * Let go of a running attempt that only waits. Where no outcome has come by then, deliver `node.unconfirmed` and
   * `node.settled` as again: it is made once more when the run goes on.
   */
  | ({ readonly type: "suspend" } & Attempt)
  /** Deliver `retry.due` after the delay (plus the host's jitter). */
  | ({ readonly type: "retry_after"; readonly delayMs: number } & Attempt)
  /** Deliver `run.time_spent` after so much time in which something runs; replaces an earlier one; null disarms it. */
  | { readonly type: "time_limit"; readonly remainingMs: number | null };
