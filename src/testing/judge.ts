import { stableJson, type Json } from "../model/json.ts";
import type { RunStatus } from "../model/outcome.ts";
import type { EscalationFields, Expectation, FileExpectation, TestCase } from "./file.ts";
import { patternCompiler } from "../runtime/validation/pattern.ts";
import { routeDifference, type RouteDifference } from "./route.ts";
import type { Walk } from "./walk.ts";

/** Something that is not as the test expects. */
export interface Failure {
  /** `route`, `outcome`, `files.report.txt`, … */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
  /** Of a route: both side by side. */
  readonly route?: RouteDifference;
}

/** What came of a run. */
export interface Observed {
  readonly walk: Walk;
  readonly status: RunStatus;
  readonly exit: number;
  readonly reason: string | null;
  /** The escalation block with its fields, where the run escalated. */
  readonly escalation: {
    readonly block: string;
    readonly fields: Readonly<Record<keyof EscalationFields, string>>;
  } | null;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Content of a file of the tree, or null. */
  readonly fileText: (path: string) => string | null;
}

/**
 * Files under `effects` that are not there at the end, so that they cannot tell what was done. A test in which nothing
 * is done outside says so: `files: {deploys.log: null}`.
 */
export function withoutEffect(
  { effects = [], expect: { files = [] } }: TestCase,
  observed: Observed,
): readonly Failure[] {
  const absent = new Set(files.flatMap(({ name, value }) => (value === null ? [name] : [])));
  return effects
    .filter((path) => !absent.has(path) && observed.fileText(path) === null)
    .map((path) => ({
      what: `effects.${path}`,
      expected: "a file that tells what was done",
      actual: `not there; where nothing is to be done, say expect: {files: {${path}: null}}`,
    }));
}

/** Everything in which a run is not what a test expects. */
export async function judge(expect: Expectation, observed: Observed): Promise<readonly Failure[]> {
  return [
    ...judgeEnd(expect, observed),
    ...judgeRoute(expect, observed),
    ...judgeEscalation(expect, observed),
    ...judgeOutputs(expect, observed),
    ...(await judgeFiles(expect, observed)),
  ];
}

function judgeEnd({ outcome, exit, reason }: Expectation, observed: Observed): readonly Failure[] {
  const { status } = observed;
  const why = observed.reason === null ? "" : `: ${observed.reason}`;
  return [
    ...(outcome === undefined || outcome === status
      ? []
      : [{ what: "outcome", expected: outcome, actual: `${status}${why}` }]),
    ...unless(exit === undefined || exit === observed.exit, "exit", `${exit}`, `${observed.exit}`),
    ...unless(reason === undefined || reason === observed.reason, "reason", reason ?? "", observed.reason ?? "none"),
  ];
}

function judgeRoute({ route, passes = [], notStarted = [] }: Expectation, { walk }: Observed): readonly Failure[] {
  const difference = route === undefined ? null : routeDifference(route, walk.steps);
  const failures: Failure[] = [];
  if (difference !== null) {
    const { expected, actual } = difference.differs;
    failures.push({ what: "route", expected: expected ?? "", actual: actual ?? "", route: difference });
  }
  for (const { name, value } of passes) {
    const started = walk.passes.get(name) ?? 0;
    failures.push(...unless(started === value, `passes.${name}`, `${value}`, `${started}`));
  }
  for (const { value: name } of notStarted) {
    const started = walk.passes.get(name) ?? 0;
    failures.push(...unless(started === 0, `not_started.${name}`, "never started", `started ${started} times`));
  }
  return failures;
}

function judgeEscalation({ escalation }: Expectation, observed: Observed): readonly Failure[] {
  if (escalation === undefined) return [];
  const found = observed.escalation;
  if (typeof escalation === "string")
    return unless(found?.block === escalation, "escalation", escalation, found?.block ?? "none");
  if (found === null) return [{ what: "escalation", expected: "an escalation", actual: `none (${observed.status})` }];
  return (["node", "iteration", "reason", "evidence"] as const).flatMap((key) => {
    const expected = key === "node" ? escalation.node?.value : escalation[key];
    const actual = found.fields[key];
    return unless(expected === undefined || expected.trimEnd() === actual, `escalation.${key}`, expected ?? "", actual);
  });
}

function judgeOutputs({ outputs = [] }: Expectation, observed: Observed): readonly Failure[] {
  return outputs.flatMap(({ name, value: expected }) => {
    const actual = Object.hasOwn(observed.outputs, name) ? observed.outputs[name] : undefined;
    const shown = actual === undefined ? "no such output" : stableJson(actual);
    return unless(
      actual !== undefined && stableJson(actual) === stableJson(expected),
      `outputs.${name}`,
      stableJson(expected),
      shown,
    );
  });
}

async function judgeFiles({ files = [] }: Expectation, observed: Observed): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const { name, value } of files) {
    const text = observed.fileText(name);
    const isMet = await isAsExpected(text, value);
    const was = isMet === undefined ? "a text too long to be held against it" : (text ?? "not there");
    failures.push(...unless(isMet === true, `files.${name}`, fileWords(value), was));
  }
  return failures;
}

/** Undefined where nobody can tell. */
async function isAsExpected(text: string | null, expected: FileExpectation): Promise<boolean | undefined> {
  if (expected === null) return text === null;
  if (text === null) return false;
  if (typeof expected === "string") return text === expected;
  if ("contains" in expected) return text.includes(expected.contains);
  const pattern = (await patternCompiler())(expected.matches, { lines: true });
  return "test" in pattern ? pattern.test(text) : undefined;
}

function fileWords(expected: FileExpectation): string {
  if (expected === null) return "not there";
  if (typeof expected === "string") return expected;
  return "contains" in expected ? `contains ${JSON.stringify(expected.contains)}` : `matches ${expected.matches}`;
}

function unless(holds: boolean, what: string, expected: string, actual: string): readonly Failure[] {
  return holds ? [] : [{ what, expected, actual }];
}
