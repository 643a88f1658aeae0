import type { RunLimits } from "./settings.ts";

/** The content hash of a callee, and of what it calls in turn, by the reference as written. */
export interface CalleePins {
  readonly [reference: string]: { readonly hash: string; readonly calls?: CalleePins };
}

/** What a run carries out, and under which bounds. */
export interface Bound {
  /** Of its blueprint, which is kept in the store. */
  readonly contentHash: string;
  /** Of what configuration supplies. */
  readonly bindingHash: string;
  /** What it calls, by content; kept in the store. */
  readonly calls?: CalleePins;
  /**
   * The bounds of its document, of configuration, and inside another run of what that has left. Absent in what was
   * recorded before they were: those of the document then, and of configuration as it is now.
   */
  readonly limits?: RunLimits;
}
