/**
 * A process on one machine, told apart from a later one with the same pid.
 * `startTime` is in the kernel's clock ticks since boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** Who owns a run that was let go of: no process of any boot. */
export const nobody: ProcessIdentity = { pid: 0, startTime: "", bootId: "" };
