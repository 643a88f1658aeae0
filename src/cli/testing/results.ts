import { readDocument as readSource } from "../../language/document.ts";
import { LineIndex } from "../../language/position.ts";
import { coverageOf } from "../../testing/coverage.ts";
import type { Failure } from "../../testing/judge.ts";
import type { Walk } from "../../testing/walk.ts";
import type { CoverageReport, TestFileReport } from "../../wire/tests.ts";
import type { Suite } from "./suite.ts";

/** How a test went. */
export interface CaseResult {
  readonly name: string;
  readonly line: number;
  readonly ms: number;
  readonly failures: readonly Failure[];
  readonly walk: Walk | null;
  readonly run: string | null;
  /** Of a test that failed: the folder of the store that holds its run. */
  readonly home: string | null;
  readonly crashes?: number;
  readonly differences: readonly string[];
}

export interface SuiteResult {
  readonly suite: Suite;
  readonly cases: readonly CaseResult[];
}

export function fileReport({ suite, cases }: SuiteResult): TestFileReport {
  return { file: suite.name, blueprint: suite.document.name, tests: cases.map(caseReport) };
}

function caseReport({ name, line, ms, failures, run, home, crashes }: CaseResult): TestFileReport["tests"][number] {
  return {
    name,
    line,
    status: failures.length === 0 ? "passed" : "failed",
    ms,
    failures: failures.map(({ what, expected, actual }) => ({ what, expected, actual })),
    run,
    home,
    ...(crashes === undefined ? {} : { crashes }),
  };
}

/** What the tests walk of each blueprint, those of several files taken together. */
export function coverageReports(results: readonly SuiteResult[]): readonly CoverageReport[] {
  const byFile = Map.groupBy(results, ({ suite }) => suite.document.file);
  return [...byFile.values()].flatMap((same) => {
    const [first] = same;
    const blueprint = first?.suite.cases[0]?.prepared.blueprint;
    if (first === undefined || blueprint === undefined) return [];
    const walks = same.flatMap(({ cases }) => cases.flatMap(({ walk }) => (walk === null ? [] : [walk])));
    const { nodes, edges, percent } = coverageOf(blueprint, walks);
    const { name, text } = first.suite.document;
    const places = placesOf(text);
    return [
      {
        blueprint: name,
        percent,
        nodes,
        edges: {
          total: edges.total,
          missed: edges.missed.map(({ edge, index }) => ({ edge, ...places(index) })),
        },
      },
    ];
  });
}

/** Where the edges of a document are written. */
function placesOf(text: string): (index: number) => { readonly line: number; readonly column: number } {
  const edges = readSource(text, () => true, new Map())?.edges ?? [];
  const lines = new LineIndex(text);
  return (index) => lines.positionAt((edges[index]?.when ?? edges[index]?.from)?.start ?? 0);
}
