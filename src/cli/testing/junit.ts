import { stripVTControlCharacters } from "node:util";
import { inert } from "../../views/inert.ts";
import type { TestReport } from "../../wire/tests.ts";

/** The report as JUnit XML, which most CI systems show. */
export function junitText({ files }: TestReport): string {
  const suites = files.map(({ file, tests }) => {
    const failed = tests.filter(({ status }) => status === "failed").length;
    const seconds = tests.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    const cases = tests.map(({ name, line, ms, failures }) => {
      const said = failures
        .map(({ what, expected, actual }) => `${what}: expected ${expected}, was ${actual}`)
        .join("\n");
      const inner =
        failures.length === 0 ? "" : `<failure message="${xml(failures[0]?.what ?? "")}">${xml(said)}</failure>`;
      return `    <testcase classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}" line="${line}" time="${ms / 1000}">${inner}</testcase>\n`;
    });
    return `  <testsuite name="${xml(file)}" tests="${tests.length}" failures="${failed}" time="${seconds}">\n${cases.join("")}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}</testsuites>\n`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML 1.0 has no way to write most control characters. */
function xml(text: string): string {
  return inert(stripVTControlCharacters(text))
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
