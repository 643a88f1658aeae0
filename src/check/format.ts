import { limits } from "../model/limits.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { inert } from "../language/inert.ts";
import { LineIndex } from "../language/position.ts";

/** A diagnostic as `check --format json` prints it. Lines and columns from 1, the end exclusive. */
export interface DiagnosticJson {
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly hint: string | null;
}

export function toJson(diagnostics: readonly Diagnostic[], file: string, text: string): readonly DiagnosticJson[] {
  const lines = new LineIndex(text);
  return diagnostics.map(({ code, severity, range, message, hint }) => {
    const start = lines.positionAt(range.start);
    const end = lines.positionAt(Math.max(range.start, range.end));
    return {
      code,
      severity,
      file,
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
      message,
      hint: hint ?? null,
    };
  });
}

/** What they are about must not be shown, so no problem of its line quotes that. */
const withoutFrame: ReadonlySet<string> = new Set(["value-in-env"]);

/**
 * `file:line:col: severity? message [code]`, then the line with the place
 * marked, then the hint. Ends with a line break.
 */
export function toText(diagnostics: readonly Diagnostic[], file: string, text: string): string {
  const lines = new LineIndex(text);
  const lineOf = ({ range }: Diagnostic): number => lines.positionAt(range.start).line;
  const hidden = new Set(diagnostics.filter(({ code }) => withoutFrame.has(code)).map(lineOf));
  return diagnostics.map((each) => block(each, inert(file), lines, hidden)).join("\n");
}

function block(diagnostic: Diagnostic, file: string, lines: LineIndex, hidden: ReadonlySet<number>): string {
  const { code, severity, range, message, hint, related = [] } = diagnostic;
  const { line, column } = lines.positionAt(range.start);
  const out = [`${file}:${line}:${column}: ${severity === "error" ? "" : `${severity}: `}${message} [${code}]`];
  if (!hidden.has(line)) out.push(...frame(range.start, range.end, lines));
  if (hint !== undefined) out.push(`  hint: ${hint}`);
  for (const each of related) {
    const at = lines.positionAt(each.range.start);
    out.push(`  ${file}:${at.line}:${at.column}: ${each.message}`);
  }
  return `${out.join("\n")}\n`;
}

/** The line of the offset with its number, and carets under the range; the middle of a long line only. */
function frame(start: number, end: number, lines: LineIndex): readonly string[] {
  const from = lines.positionAt(start);
  const to = lines.positionAt(Math.max(start + 1, end));
  const full = inert(lines.lineText(from.line));
  if (full.trim() === "") return [];
  const skip = Math.max(0, Math.min(from.column - 1 - limits.quotedColumns / 2, full.length - limits.quotedColumns));
  const shown = full.slice(skip, skip + limits.quotedColumns);
  const endColumn = to.line === from.line ? to.column : full.length + 1;
  const left = from.column - 1 - skip;
  const width = Math.max(1, Math.min(endColumn - from.column, shown.length - left));
  const gutter = String(from.line);
  const lead = skip > 0 ? "…" : "";
  const tail = skip + limits.quotedColumns < full.length ? "…" : "";
  return [
    `  ${gutter} | ${lead}${shown}${tail}`,
    `  ${" ".repeat(gutter.length)} | ${" ".repeat(lead.length + left)}${"^".repeat(width)}`,
  ];
}
