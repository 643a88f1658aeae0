import type { Diagnostic } from "../model/diagnostic.ts";
import { codes, isCode } from "../language/codes.ts";
import type { LineIndex } from "../language/position.ts";

const comment = /#\s*trammel:\s*allow\s+([a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*)/;

/**
 * Takes out what `# trammel: allow CODE` silences: problems that begin on its line, or on the next line when the comment stands alone.
 * What leaves a document without one clear meaning cannot be silenced.
 */
export function withoutAllowed(problems: readonly Diagnostic[], text: string, lines: LineIndex): readonly Diagnostic[] {
  if (!text.includes("trammel:")) return problems;
  return problems.filter(({ code, range }) => {
    if (!isCode(code) || !codes[code].mayAllow) return true;
    const { line } = lines.positionAt(range.start);
    const above = lines.lineText(line - 1);
    return !(allows(lines.lineText(line), code) || (above.trimStart().startsWith("#") && allows(above, code)));
  });
}

function allows(line: string, code: string): boolean {
  return (comment.exec(line)?.[1] ?? "").split(",").some((word) => word.trim() === code);
}
