import { readDocument as readSource } from "../../language/document.ts";
import { LineIndex } from "../../language/position.ts";
import { graphsOf } from "../../testing/catalog.ts";
import { coverageOf, type MissedEdge } from "../../testing/coverage.ts";
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
    const prepared = first?.suite.cases[0]?.prepared;
    if (first === undefined || prepared === undefined) return [];
    const walks = same.flatMap(({ cases }) => cases.flatMap(({ walk }) => (walk === null ? [] : [walk])));
    const { nodes, edges, percent } = coverageOf(graphsOf(prepared.blueprint, prepared.callees), walks);
    const { name, text } = first.suite.document;
    const places = placesOf(text);
    return [
      {
        blueprint: name,
        percent,
        nodes,
        edges: {
          total: edges.total,
          missed: edges.missed.map((one) => ({ edge: one.edge, ...places(one) })),
        },
      },
    ];
  });
}

/** Where the edges of a document are written; of one inside a node, where that stands. */
function placesOf(text: string): (missed: MissedEdge) => { readonly line: number; readonly column: number } {
  const source = readSource(text, () => true, new Map());
  const lines = new LineIndex(text);
  return ({ prefix, index }) => {
    const [node = ""] = prefix.split("/");
    const edge = source?.edges[index];
    const range = prefix === "" ? (edge?.when ?? edge?.from) : source?.origins.get(node)?.key.range;
    return lines.positionAt(range?.start ?? 0);
  };
}
