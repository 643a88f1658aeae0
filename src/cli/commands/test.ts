import { exitCodes } from "../../model/outcome.ts";
import { inert } from "../../views/inert.ts";
import type { TestReport } from "../../wire/tests.ts";
import { onInterrupt } from "../running/interrupts.ts";
import { jsonLine } from "../json.ts";
import { report, usage } from "../problem.ts";
import { palette } from "../screen/palette.ts";
import { junitText } from "../testing/junit.ts";
import { newSite, perform, removeSite } from "../testing/perform.ts";
import { testFilesAt } from "../testing/places.ts";
import { caseText, coverageText } from "../testing/report-text.ts";
import { type CaseResult, coverageReports, fileReport, type SuiteResult } from "../testing/results.ts";
import { readSuite, type Suite, type SuiteCase } from "../testing/suite.ts";
import type { World } from "../world.ts";

export interface TestOptions {
  readonly name?: string;
  readonly coverage?: true;
  readonly minCoverage?: number;
  readonly format: "text" | "json" | "junit";
  readonly loose?: true;
  readonly crashMatrix?: true;
}

/** Runs the tests of blueprints: no model, no network, none of the user's own state. */
export async function test(world: World, places: readonly string[], options: TestOptions): Promise<number> {
  const suites = await readSuites(world, places);
  if (typeof suites === "number") return suites;
  const { name } = options;
  const wanted = ({ test: { name: own } }: SuiteCase): boolean => name === undefined || own.includes(name);
  if (!suites.some(({ cases }) => cases.some(wanted)))
    return report(world, usage(`no test is named ${name ?? ""}`, "-t takes a part of a name."));
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const interrupts = onInterrupt(process.env, abort, abort);
  const results: SuiteResult[] = [];
  try {
    for (const suite of suites) {
      const chosen = suite.cases.filter(wanted);
      if (chosen.length > 0) results.push({ suite, cases: await runSuite(world, suite, chosen, options, stop.signal) });
      if (stop.signal.aborted) return exitCodes.stopped;
    }
  } finally {
    interrupts.dispose();
  }
  return finish(world, results, options);
}

/** What cannot be read is said, all of it, before anything runs. */
async function readSuites(world: World, places: readonly string[]): Promise<readonly Suite[] | number> {
  const suites: Suite[] = [];
  let code: number = exitCodes.ok;
  for (const found of testFilesAt(places, world.cwd)) {
    const suite = typeof found === "string" ? await readSuite(world, found) : report(world, found);
    if (typeof suite === "number") code = Math.max(code, suite);
    else suites.push(suite);
  }
  return code === exitCodes.ok ? suites : code;
}

async function runSuite(
  world: World,
  suite: Suite,
  cases: readonly SuiteCase[],
  options: TestOptions,
  stop: AbortSignal,
): Promise<readonly CaseResult[]> {
  const out = options.format === "text" ? world.out : null;
  out?.write(`${inert(suite.name)}\n`);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCase(world, suite, one, options, stop);
    if (stop.aborted) break;
    out?.write(caseText(suite.name, result, palette(world.out, world.env)));
    results.push(result);
  }
  return results;
}

/** What a test that failed left is kept, to be looked at. */
async function runCase(
  world: World,
  suite: Suite,
  one: SuiteCase,
  { loose, crashMatrix }: TestOptions,
  stop: AbortSignal,
): Promise<CaseResult> {
  const begun = performance.now();
  const site = await newSite(one, suite).catch((error: Error) => error);
  if (site instanceof Error) return withoutGround(one, site);
  let isKept = false;
  try {
    const performed = await perform(world, one, site, { ...(loose && { loose }), stop });
    const { failures, walk, run, differences } = performed;
    isKept = failures.length > 0 && run !== null && !stop.aborted;
    const ms = Math.round(performance.now() - begun);
    const kept = isKept ? { run, home: site.home } : { run: null, home: null };
    const result = { name: one.test.name, line: one.line, ms, failures, walk, differences, ...kept };
    return crashMatrix === true && failures.length === 0 ? withCrashes(world, suite, one, result, stop) : result;
  } finally {
    if (!isKept) await removeSite(site);
  }
}

function withoutGround({ test: { name }, line }: SuiteCase, { message }: Error): CaseResult {
  const failures = [{ what: "files", expected: "a working folder with them", actual: message }];
  return { name, line, ms: 0, failures, walk: null, differences: [], run: null, home: null };
}

/** What it makes of crashes is only worth a look where it passes without. */
async function withCrashes(
  world: World,
  suite: Suite,
  one: SuiteCase,
  result: CaseResult,
  stop: AbortSignal,
): Promise<CaseResult> {
  const begun = performance.now();
  const { crashMatrix } = await import("../testing/matrix.ts");
  const { failures, crashes, kept } = await crashMatrix(world, suite, one, stop);
  const ms = result.ms + Math.round(performance.now() - begun);
  return { ...result, ms, failures, crashes, ...kept };
}

function finish(world: World, results: readonly SuiteResult[], options: TestOptions): number {
  const { format, coverage, minCoverage } = options;
  const cases = results.flatMap((result) => result.cases);
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const covered = coverage === true || minCoverage !== undefined ? coverageReports(results) : null;
  const said: TestReport = {
    files: results.map(fileReport),
    passed: cases.length - failed,
    failed,
    ...(covered === null ? {} : { coverage: covered }),
  };
  if (format === "json") world.out.write(jsonLine(said));
  else if (format === "junit") world.out.write(junitText(said));
  else printEnd(world, said);
  const short = (covered ?? []).filter(({ percent }) => percent < (minCoverage ?? 0));
  for (const { blueprint, percent } of short)
    report(world, usage(`the tests of ${blueprint} walk ${percent} % of it, less than ${minCoverage ?? 0} %`));
  return failed > 0 || short.length > 0 ? exitCodes.failed : exitCodes.ok;
}

function printEnd(world: World, { passed, failed, coverage }: TestReport): void {
  const colors = palette(world.out, world.env);
  if (coverage !== undefined) world.out.write(coverageText(coverage, colors));
  const lost = failed === 0 ? "" : colors.red(`, ${failed} failed`);
  world.out.write(`\n${colors.green(`${passed} passed`)}${lost}\n`);
}
