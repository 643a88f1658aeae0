/** Identity and chance, so that the rest of the system has neither. */
export interface Ids {
  /** A new run id; sorts by creation time. */
  run(): string;
  /** Uniform in [0, 1). */
  random(): number;
}
