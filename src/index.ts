/** The public API of the package: everything else may change without notice. */
export { check, type CheckOptions, type CheckResult } from "./check/check.ts";
export { toJson, toText, type DiagnosticJson } from "./check/format.ts";
export { canonical } from "./language/canonical.ts";
export { edit, type Change, type Edited } from "./language/edit/edit.ts";
export type * from "./model/blueprint.ts";
export type { Diagnostic, Range, Severity } from "./model/diagnostic.ts";
