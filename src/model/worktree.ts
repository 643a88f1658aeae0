/** A Git worktree that a run has to itself. Paths are absolute. */
export interface Worktree {
  readonly root: string;
  /** The working folder in it. */
  readonly folder: string;
  readonly branch: string;
  /** The commit that it began with. */
  readonly commit: string;
  /** The working tree that it was made from. */
  readonly repository: string;
}
