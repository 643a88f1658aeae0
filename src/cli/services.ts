import type { Journal } from "../ports/journal.ts";

/** The face of compose.ts, the only place that picks adapters. */
export interface Composition {
  /** Throws StoreUnavailable. */
  readonly openJournal: (home: string, notice: (what: string) => void) => Journal;
}
