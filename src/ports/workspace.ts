import type { Blueprint } from "../model/blueprint.ts";
import type { RunStarted } from "../model/events.ts";
import type { IdleSpan } from "../model/idle-span.ts";
import type { Worktree } from "../model/worktree.ts";
import type { RunStatus } from "../model/outcome.ts";

export interface WorkspaceRequest {
  readonly run: string;
  readonly blueprint: Blueprint;
  /** Absolute folder in which the run was asked for. */
  readonly cwd: string;
  /** Where it is a fork of such a run, its own worktree begins as that one's was. */
  readonly fork?: ForkedWorktree;
  /** Ends a wait for others that make worktrees of the same repository. */
  readonly signal?: AbortSignal | undefined;
}

/** The worktree of an earlier run, and the pass before which another leaves its way. */
export interface ForkedWorktree {
  readonly from: NonNullable<RunStarted["fork"]>;
  readonly worktree: Worktree;
  /** It begins as the earlier run left it, not as it was before the pass. */
  readonly keepTree: boolean;
}

/** Where a run works. */
export interface Workspace {
  /** Absolute. */
  readonly cwd: string;
  /** Where the run has a worktree to itself. */
  readonly worktree?: Worktree;
}

/** Why a run cannot work there, and what to do. */
export interface WorkspaceProblem {
  readonly problem: string;
  readonly hint: string;
}

/** A pass of an earlier run before which a tree goes back. */
export interface Return extends NonNullable<RunStarted["fork"]> {
  /** When nothing of the earlier run was at work: what was changed then is not its own. */
  readonly idle: readonly IdleSpan[];
}

/** The trees that runs work in: made for them, remembered as they were, and cleared away. */
export interface Workspaces {
  /** Before anything of the run is journaled. */
  open(request: WorkspaceRequest): Promise<Workspace | WorkspaceProblem>;
  /** That of a run which goes on. */
  reopen(run: string, blueprint: Blueprint, started: RunStarted): Promise<Workspace | WorkspaceProblem>;
  /** Takes back an opening that came to nothing; what an earlier one made stays. */
  discard(run: string): Promise<void>;
  /**
   * Takes the tree of an open run back to where it was before a pass of an earlier one, a worktree of its own to
   * what it began with. Answers why it could not, having changed nothing that is not the run's own.
   */
  goBack(run: string, to: Return): Promise<WorkspaceProblem | null>;
  /** Remembers the tree as it is before the first node, where the run has it to itself. Never rejects. */
  begin(run: string): Promise<void>;
  /** Remembers the tree as the run left it; clears away a worktree that nothing is left in. Never rejects. */
  close(run: string, status: RunStatus): Promise<void>;
}
