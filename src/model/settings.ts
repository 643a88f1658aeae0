import type { Template } from "./template.ts";

export interface RunLimits {
  readonly steps?: number;
  readonly timeMs?: number;
  readonly retries?: number;
  readonly tokens?: number;
  readonly cost?: Money;
  readonly memoryBytes?: number;
  readonly outputBytes?: number;
  readonly parallel?: number;
  readonly transitions?: number;
  readonly actions?: number;
  /** Of a run inside another: whose budgets `tokens` and `cost` are what is left of; not of what it says itself. */
  readonly leftOf?: { readonly tokens?: BudgetShare; readonly cost?: BudgetShare };
}

/** The budget of a run around others, as it stood when one inside began or went on. */
export interface BudgetShare {
  readonly run: string;
  readonly limit: number;
  readonly used: number;
  /** An agent of which nobody knows what it used: then nothing is left. */
  readonly unsaid?: string;
}

export interface Money {
  readonly amount: number;
  readonly currency: string;
}

export type EscalateCause = "cap" | "no_progress" | "error" | "failure";

export interface WorkspaceSettings {
  readonly cwd?: string;
  readonly isolate?: "none" | "worktree";
  readonly carry?: readonly string[];
  readonly setup?: string;
  readonly checkpoint?: boolean;
  readonly protect?: readonly string[];
}

export interface RecordSettings {
  readonly state?: string;
  readonly counters?: string;
  readonly timezone?: string;
  readonly prTemplate?: string;
}

export interface ConcurrencySettings {
  readonly key?: Template;
  readonly overlap?: "queue" | "skip" | "allow";
}

/** What an agent may read: globs, or what git does not ignore. */
export type ReadScope = readonly string[] | "repository";
