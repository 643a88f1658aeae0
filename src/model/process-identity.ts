/**
 * A process on one machine, told apart from a later one with the same pid.
 * `startTime` is in the kernel's clock ticks since boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}
