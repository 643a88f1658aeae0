/**
 * Time. `now` is the epoch in milliseconds as of process start plus monotonic time
 * since: it never jumps. `wall` is the system clock.
 */
export interface Clock {
  now(): number;
  wall(): number;
  /**
   * Calls back once after `ms` of monotonic time, any length, and after what had come by then, from processes and
   * connections, has been taken in; returns its cancellation.
   */
  after(ms: number, callback: () => void): () => void;
}
