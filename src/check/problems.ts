import type { Diagnostic, Severity } from "../model/diagnostic.ts";
import { limits } from "../model/limits.ts";
import type { Report } from "../language/codes.ts";
import { codes, isCode, problem } from "../language/codes.ts";
import { LineIndex } from "../language/position.ts";

const rank = { error: 0, warning: 1, note: 2 } as const satisfies Readonly<Record<Severity, number>>;
const comment = /#\s*trammel:\s*allow\s+([a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*)/;

/**
 * Collects problems. Of each severity the first `limits.diagnosticsPerFile` are kept, so that a
 * document full of faults costs no more than one with some. What `# trammel: allow CODE` silences is
 * left out: problems that begin on its line, or on the next line when the comment stands alone. What
 * leaves a document without one clear meaning cannot be silenced.
 */
export class Problems {
  readonly #text: string;
  readonly #mayAllow: boolean;
  readonly #kept: Record<Severity, Diagnostic[]> = { error: [], warning: [], note: [] };
  readonly #seen = new Set<string>();
  #dropped = 0;
  #lines: LineIndex | undefined;
  /** What comments silence, by line: a line may be long and hold many problems. */
  readonly #allowed = new Map<number, ReadonlySet<string>>();

  constructor(text: string) {
    this.#text = text;
    this.#mayAllow = text.includes("trammel:");
  }

  readonly add: Report = (found) => {
    const kept = this.#kept[found.severity];
    if (this.#isAllowed(found)) return false;
    if (this.#isKnown(found)) return true;
    if (kept.length < limits.diagnosticsPerFile) kept.push(found);
    else this.#dropped += 1;
    return true;
  };

  get refused(): boolean {
    return this.#kept.error.length > 0;
  }

  /**
   * By position; when there are too many, errors go before warnings and notes, and it is said how many are left out.
   */
  sorted(): readonly Diagnostic[] {
    const { error, warning, note } = this.#kept;
    const all = [...error, ...warning, ...note];
    const most = limits.diagnosticsPerFile;
    if (all.length + this.#dropped <= most) return all.sort(byPosition);
    const kept = all.sort((a, b) => rank[a.severity] - rank[b.severity] || byPosition(a, b)).slice(0, most - 1);
    const last = kept.reduce((latest, each) => (byPosition(each, latest) > 0 ? each : latest));
    const count = all.length + this.#dropped - kept.length;
    const cut = problem("too-many-problems", last.range, `${count} more problems are not shown`, "Mend these first.");
    return [...kept.sort(byPosition), cut];
  }

  /** Of a list that stands for several edges, one problem is found several times. */
  #isKnown({ code, range, message }: Diagnostic): boolean {
    const key = `${code} ${range.start} ${message}`;
    if (this.#seen.has(key)) return true;
    if (this.#seen.size < 3 * limits.diagnosticsPerFile) this.#seen.add(key);
    return false;
  }

  #isAllowed({ code, range }: Diagnostic): boolean {
    if (!this.#mayAllow || !isCode(code) || !codes[code].mayAllow) return false;
    this.#lines ??= new LineIndex(this.#text);
    const { line } = this.#lines.positionAt(range.start);
    const allowed = this.#allowed.get(line) ?? allowedOn(line, this.#lines);
    this.#allowed.set(line, allowed);
    return allowed.has(code);
  }
}

function byPosition(a: Diagnostic, b: Diagnostic): number {
  return a.range.start - b.range.start || a.range.end - b.range.end;
}

function allowedOn(line: number, lines: LineIndex): ReadonlySet<string> {
  const above = lines.lineText(line - 1);
  const own = allowedBy(lines.lineText(line));
  return new Set(above.trimStart().startsWith("#") ? [...own, ...allowedBy(above)] : own);
}

function allowedBy(line: string): readonly string[] {
  return (comment.exec(line)?.[1] ?? "").split(",").map((word) => word.trim());
}
