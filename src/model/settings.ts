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
