/** A time in which nothing of a run was at work, in milliseconds since the epoch. */
export interface IdleSpan {
  readonly from: number;
  readonly to: number;
  /** Whether something of it was at work next; not so at the end of the run. */
  readonly followed: boolean;
}
