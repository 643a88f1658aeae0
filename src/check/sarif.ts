import type { Diagnostic } from "../model/diagnostic.ts";
import { codes, isCode } from "../language/codes.ts";
import { LineIndex } from "../language/position.ts";

/** One checked file. `file` is a path relative to the repository, with `/`. */
export interface CheckedFile {
  readonly file: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A SARIF 2.1.0 log (OASIS) of one run over some files; columns in UTF-16 code units. */
export function toSarif(files: readonly CheckedFile[], version: string): object {
  const used = [...new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].sort();
  const index = new Map(used.map((code, place) => [code, place]));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "trammel", version, rules: used.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: files.flatMap((checked) => resultsOf(checked, index)),
      },
    ],
  };
}

function ruleOf(id: string): object {
  if (!isCode(id)) return { id };
  const { title, severity } = codes[id];
  return { id, shortDescription: { text: title }, defaultConfiguration: { level: severity } };
}

function resultsOf({ file, text, diagnostics }: CheckedFile, index: ReadonlyMap<string, number>): readonly object[] {
  const lines = new LineIndex(text);
  const location = ({ range, message }: { readonly range: Diagnostic["range"]; readonly message?: string }): object => {
    const start = lines.positionAt(range.start);
    const end = lines.positionAt(range.end);
    const region = { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
    return {
      physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region },
      ...(message === undefined ? {} : { message: { text: message } }),
    };
  };
  return diagnostics.map(({ code, severity, range, message, hint, related = [] }) => ({
    ruleId: code,
    ruleIndex: index.get(code) ?? -1,
    level: severity,
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: [location({ range })],
    ...(related.length === 0 ? {} : { relatedLocations: related.map(location) }),
  }));
}
