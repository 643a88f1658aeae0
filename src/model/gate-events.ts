import type { Attempt } from "./attempt.ts";
import type { Json } from "./json.ts";

export interface GateOpened extends Attempt {
  readonly type: "gate.opened";
  readonly mode: "input" | "approval" | "choice" | "form";
  readonly prompt: string;
  /** SHA-256 over what was shown; an answer names it. */
  readonly digest: string;
  /** The gate before the node, where that is asked again. */
  readonly of?: string;
  readonly over?: GateBasis;
  /** An agent at work asks for leave to do one thing: its run does not merely wait, and needs its engine. */
  readonly leave?: true;
  /** When its time is up, in milliseconds since the epoch. */
  readonly until?: number;
}

/**
 * What the digest of a gate is over, each by a word that changes with it, so that a person can be told what changed.
 */
export interface GateBasis {
  /** SHA-256 over what was shown. */
  readonly shown: string;
  /** Those of what an approval stands for: the tree, null where nobody can tell, and SHA-256 over what is done next. */
  readonly tree?: string | null;
  readonly next?: string;
}

export interface GateAnswered extends Attempt {
  readonly type: "gate.answered";
  /**
   * Of the one who gave it, so that it is told apart from another that says the
   * same; absent where it was given at the gate itself.
   */
  readonly id?: string;
  readonly by: string;
  readonly digest: string;
  readonly answer: Json;
}
