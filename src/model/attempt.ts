/** One performance of a node: the pass it belongs to and the attempt inside it, both from 1. */
export interface Attempt {
  readonly node: string;
  readonly pass: number;
  readonly attempt: number;
}
