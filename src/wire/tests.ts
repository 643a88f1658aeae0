import { z } from "zod";

const failure = z.strictObject({ what: z.string(), expected: z.string(), actual: z.string() });

const testCase = z.strictObject({
  name: z.string(),
  /** In the test file, from 1. */
  line: z.int().min(1),
  status: z.enum(["passed", "failed"]),
  ms: z.int().min(0),
  failures: z.array(failure).readonly(),
  /** Of a test that failed: its run, and the TRAMMEL_HOME that holds it. */
  run: z.string().nullable(),
  home: z.string().nullable(),
  /** With `--crash-matrix`: how many engines were killed. */
  crashes: z.int().min(0).exactOptional(),
});

const testFile = z.strictObject({ file: z.string(), blueprint: z.string(), tests: z.array(testCase).readonly() });

const missedEdge = z.strictObject({ edge: z.string(), line: z.int().min(1), column: z.int().min(1) });

const coverage = z.strictObject({
  blueprint: z.string(),
  percent: z.int().min(0).max(100),
  nodes: z.strictObject({ total: z.int().min(0), missed: z.array(z.string()).readonly() }),
  edges: z.strictObject({ total: z.int().min(0), missed: z.array(missedEdge).readonly() }),
});

/** `trammel test --format json`. */
export const testReportShape = z.strictObject({
  files: z.array(testFile).readonly(),
  passed: z.int().min(0),
  failed: z.int().min(0),
  /** With `--coverage` or `--min-coverage`. */
  coverage: z.array(coverage).readonly().exactOptional(),
});

export type TestReport = z.infer<typeof testReportShape>;
export type TestFileReport = z.infer<typeof testFile>;
export type CoverageReport = z.infer<typeof coverage>;
