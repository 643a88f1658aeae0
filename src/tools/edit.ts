import { limits } from "../model/limits.ts";

export type Replaced = { readonly text: string; readonly lines: readonly number[] } | { readonly problem: string };

/**
 * Replaces `old` where it stands exactly, the only one, or all of them. A text of LF
 * lines also finds its place in a file of CRLF lines.
 */
export function replace(text: string, old: string, by: string, which: "one" | "all"): Replaced {
  if (old === "") return { problem: "old_text is empty; to write a whole file use write" };
  if (old === by) return { problem: "old_text and new_text are the same" };
  const isForeign = !text.includes(old) && text.includes("\r\n") && !old.includes("\r");
  const wanted = isForeign ? old.replaceAll("\n", "\r\n") : old;
  const lines = linesOf(text, wanted);
  if (lines.length === 0) return { problem: notFound(text, old) };
  if (lines.length > 1 && which === "one") {
    const some = lines.slice(0, 10).join(", ") + (lines.length > 10 ? ", …" : "");
    return {
      problem: `old_text occurs ${lines.length} times (lines ${some}); add lines around it until it is unique, or set all`,
    };
  }
  // As a function: in a string, `$&` and its like would be replaced themselves.
  return { text: text.replaceAll(wanted, () => (isForeign ? by.replaceAll(/\r?\n/g, "\r\n") : by)), lines };
}

/** Line numbers, from 1, of what `replaceAll` finds. */
function linesOf(text: string, wanted: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    for (let end = text.indexOf("\n", counted); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) {
      line += 1;
      counted = end + 1;
    }
    lines.push(line);
  }
  return lines;
}

/** The usual reasons: white space, or a first line that is right while what follows is not. */
function notFound(text: string, old: string): string {
  const trimmed = text.split("\n").map((line) => line.trim());
  const wanted = old.split("\n").map((line) => line.trim());
  while (wanted[0] === "") wanted.shift();
  while (wanted.at(-1) === "") wanted.pop();
  const first = wanted[0];
  if (trimmed.length * wanted.length > limits.editHintComparisons) return "old_text was not found";
  if (first === undefined) return "old_text was not found; it is white space only";
  const at = trimmed.findIndex((_line, index) => wanted.every((line, offset) => trimmed[index + offset] === line));
  if (at >= 0) return `old_text was not found; line ${at + 1} differs in white space only: copy it as it stands`;
  const start = trimmed.indexOf(first);
  if (start < 0) return "old_text was not found; read the file and copy the text as it stands";
  const differs = wanted.findIndex((line, offset) => trimmed[start + offset] !== line);
  return `old_text was not found; it begins as line ${start + 1} does, but differs at line ${start + differs + 1}`;
}
