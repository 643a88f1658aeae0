/**
 * What the journals of the runs inside an attempt held when it ended, so that nobody can leave one out or cut it short.
 */
export interface HeadsMark {
  readonly runs: number;
  /**
   * SHA-256 in hex over a line for each, in their order: its id, the number of
   * its last event and the hash of its last record.
   */
  readonly digest: string;
}
