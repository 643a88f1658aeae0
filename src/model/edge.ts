/** The terminal sentinel of an edge, whatever its case in the document. */
export const END = "END";

/** `when` is absent (unconditional), success, failure, error, or an option id of the source. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: string;
  readonly as?: "failed";
}
