/** Half-open span of UTF-16 code units in a source text; line and column are derived only where a person reads them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Severity = "error" | "warning" | "note";

export interface Related {
  readonly range: Range;
  readonly message: string;
}

/**
 * A problem in a document. A problem is a value: it is collected, never thrown. `code` names a page under docs/checks.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly range: Range;
  readonly message: string;
  /** What to do next, as one sentence or one line of YAML. */
  readonly hint?: string;
  readonly related?: readonly Related[];
}
