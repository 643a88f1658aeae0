import { LineIndex } from "../language/position.ts";
import type { CheckedFile } from "./sarif.ts";

const commands = { error: "error", warning: "warning", note: "notice" } as const;

/** Workflow commands of GitHub Actions, one a line: annotations at the place of each problem. */
export function toGithub(files: readonly CheckedFile[]): string {
  return files.map(annotationsOf).join("");
}

function annotationsOf({ file, text, diagnostics }: CheckedFile): string {
  const lines = new LineIndex(text);
  return diagnostics
    .map(({ code, severity, range, message, hint }) => {
      const start = lines.positionAt(range.start);
      const end = lines.positionAt(range.end);
      const endColumn = end.line === start.line ? `,endColumn=${end.column}` : "";
      const where = `file=${property(file)},line=${start.line},endLine=${end.line},col=${start.column}${endColumn},title=${property(code)}`;
      return `::${commands[severity]} ${where}::${data(hint === undefined ? message : `${message}\n${hint}`)}\n`;
    })
    .join("");
}

/** Text after `::`. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
