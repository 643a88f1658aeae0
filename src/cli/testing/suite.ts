import { dirname, join } from "node:path";
import { toText } from "../../check/format.ts";
import type { Config } from "../../config/config.ts";
import { loadProject } from "../../config/load.ts";
import { LineIndex } from "../../language/position.ts";
import type { Node } from "../../model/node.ts";
import type { Diagnostic, Range } from "../../model/diagnostic.ts";
import { exitCodes } from "../../model/outcome.ts";
import { catalogOf } from "../../testing/catalog.ts";
import type { Placed } from "../../language/read/collections.ts";
import type { TestCase, TestFile } from "../../testing/file.ts";
import { misfits } from "../../testing/meaning.ts";
import { parseTests } from "../../testing/parse.ts";
import { problem } from "../../language/codes.ts";
import { readDocument, type SourceDocument } from "../documents/document.ts";
import { isFolder } from "../documents/files.ts";
import { prepare, type Prepared } from "../running/prepare.ts";
import { isProblem, report } from "../problem.ts";
import { printProblems } from "../problems.ts";
import type { World } from "../world.ts";
import { besideTest } from "./places.ts";

/** A test with what it runs. */
export interface SuiteCase {
  readonly test: TestCase;
  /** Line of the test in its file, from 1. */
  readonly line: number;
  readonly prepared: Prepared;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** A test file that is sound, and the blueprint it is about. */
export interface Suite {
  /** As the person named it. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** Absolute folder of the test file. */
  readonly folder: string;
  readonly document: SourceDocument;
  readonly cases: readonly SuiteCase[];
}

/** Reads a test file and checks it and its blueprint; the exit code after everything that is wrong was printed. */
export async function readSuite(world: World, name: string): Promise<Suite | number> {
  const source = readDocument(name, world.cwd);
  if (isProblem(source)) return report(world, source);
  const { file, problems } = parseTests(source.text);
  if (file === null) return refuse(world, source, problems);
  const named = file.blueprint === undefined ? besideTest(name, world.cwd) : join(dirname(name), file.blueprint.value);
  const document = readDocument(named, world.cwd);
  if (isProblem(document)) {
    printProblems(world.err, source.name, source.text, problems);
    return report(world, document);
  }
  const { config, faults } = await loadProject(dirname(document.file));
  for (const fault of faults)
    world.err.write(toText(fault.problems, fault.file, fault.text) || `${fault.file}: ${fault.unreadable}\n`);
  if (faults.length > 0) return exitCodes.usage;
  const folder = dirname(source.file);
  const cases = await casesOf(world, file, document, config, new LineIndex(source.text), folder);
  if (typeof cases === "number") return cases;
  const found = [...problems, ...file.tests.flatMap((test, index) => ofTest(test, cases[index], folder))];
  if (found.length > 0) return refuse(world, source, found);
  return { name, file: source.file, folder, document, cases };
}

function refuse(world: World, { name, text }: SourceDocument, problems: readonly Diagnostic[]): number {
  const order = problems.toSorted((a, b) => a.range.start - b.range.start);
  printProblems(world.err, name, text, order);
  return exitCodes.usage;
}

async function casesOf(
  world: World,
  { tests }: TestFile,
  document: SourceDocument,
  project: Config,
  lines: LineIndex,
  folder: string,
): Promise<readonly SuiteCase[] | number> {
  const prepared = new Map<string, Prepared>();
  const cases: SuiteCase[] = [];
  for (const { value: test, at } of tests) {
    const config = configOf(project, test, folder);
    const key = JSON.stringify(config);
    const known = prepared.get(key);
    const made = known ?? (await prepareQuietly(world, document, config));
    if (typeof made === "number") return made;
    prepared.set(key, made);
    const nodes = catalogOf(made.blueprint, made.callees);
    cases.push({ test, line: lines.positionAt(at.start).line, prepared: made, nodes });
  }
  return cases;
}

/** Warnings about a blueprint are for `check`; only what keeps it from running is said here. */
async function prepareQuietly(world: World, document: SourceDocument, config: Config): Promise<Prepared | number> {
  const said: (string | Uint8Array)[] = [];
  const err = { ...world.err, write: (text: string | Uint8Array) => void said.push(text) };
  const prepared = await prepare({ ...world, err }, document, config);
  if (typeof prepared === "number") for (const text of said) world.err.write(text);
  return prepared;
}

/**
 * The project's configuration and the test's own over it. Whatever would reach a model, a server or a person stays out.
 */
function configOf(project: Config, { config: own = {}, cassettes }: TestCase, folder: string): Config {
  const { policy, tools, turns, context, model } = { ...project.agent, ...own.agent };
  const settings = { policy, tools, turns, context, model };
  const replay = { provider: "replay", ...(cassettes && { cassettes: join(folder, cassettes.value) }) };
  return {
    ...project,
    ...own,
    commands: { ...project.commands, ...own.commands },
    tools: { ...project.tools, ...own.tools },
    mcp: {},
    plugins: project.plugins,
    notify: {},
    agent: { ...replay, ...withoutAbsent(settings) },
  };
}

function withoutAbsent<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Only entries without a value are left out.
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as ReturnType<
    typeof withoutAbsent<T>
  >;
}

function ofTest(test: Placed<TestCase>, made: SuiteCase | undefined, folder: string): readonly Diagnostic[] {
  const { fixture, cassettes } = test.value;
  const folders = [fixture, cassettes].filter((one) => one !== undefined);
  const gone = folders.filter(({ value }) => !isFolder(join(folder, value)));
  return [
    ...gone.map(notThere),
    ...(made === undefined ? [] : misfits(test.value, made.prepared.blueprint, made.nodes)),
  ];
}

function notThere({ value, at }: { readonly value: string; readonly at: Range }): Diagnostic {
  return problem("invalid-value", at, `There is no folder \`${value}\` beside this file`);
}
