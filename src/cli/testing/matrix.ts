import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../model/limits.ts";
import { reasonsOf } from "../../runtime/admission/admit.ts";
import { awaitOrphans } from "../../runtime/processes/custody.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { withoutItems } from "../../testing/catalog.ts";
import { type Failure, judge, type Observed } from "../../testing/judge.ts";
import { type LogLine, logTo, readLog } from "../../testing/log.ts";
import { boundariesOf, type Boundary, MortalJournal } from "../../testing/mortal.ts";
import { repeated } from "../../testing/settling.ts";
import type { World } from "../world.ts";
import { goOn } from "./aftermath.ts";
import type { EngineTask } from "./engine.ts";
import { bounded, newSite, observe, openStage, removeSite, requestOf, silent, type Site } from "./perform.ts";
import type { Suite, SuiteCase } from "./suite.ts";

export interface MatrixResult {
  readonly failures: readonly Failure[];
  /** Engines that were killed. */
  readonly crashes: number;
  /** Of the first that failed. */
  readonly kept: { readonly run: string; readonly home: string } | null;
}

/** How the run goes where nothing happens to it. */
interface Reference {
  readonly commits: number;
  readonly log: readonly LogLine[];
  readonly observed: Observed;
}

/**
 * Kills an engine of a test at each boundary of its journal, goes on with what it left, and
 * holds the end to that of a run that nothing happens to.
 */
export async function crashMatrix(
  world: World,
  suite: Suite,
  one: SuiteCase,
  stop: AbortSignal,
): Promise<MatrixResult> {
  const reference = await referenceOf(world, suite, one, stop);
  if ("what" in reference) return { failures: [reference], crashes: 0, kept: null };
  const open = [...boundariesOf(reference.commits)];
  const failures: Failure[] = [];
  let kept: MatrixResult["kept"] = null;
  let crashes = 0;
  const worker = async (): Promise<void> => {
    for (let at = open.shift(); at !== undefined && !stop.aborted; at = open.shift()) {
      const site = await newSite(one, suite);
      const death = await dieAt(suite, one, site, at);
      if (death === "killed") crashes += 1;
      const found = await afterwards(world, one, site, { at, death, reference }, stop);
      failures.push(...found.failures);
      if (found.failures.length > 0 && found.run !== null && kept === null) kept = { run: found.run, home: site.home };
      else await removeSite(site);
    }
  };
  await Promise.all(Array.from({ length: limits.crashWorkers }, worker));
  return { failures, crashes, kept };
}

async function referenceOf(
  world: World,
  suite: Suite,
  one: SuiteCase,
  stop: AbortSignal,
): Promise<Reference | Failure> {
  const site = await newSite(one, suite);
  const mortal = new MortalJournal(null, () => undefined);
  const witness = logTo(logOf(site), site.tree);
  const services = await openStage(world, one, site, {
    loose: true,
    witness,
    journal: (inner) => mortal.around(inner),
  });
  try {
    const handle = await services.engine.start(requestOf(one, site), silent);
    if ("refused" in handle) return { what: "start", expected: "a run", actual: reasonsOf(handle) };
    const observed = await observe(services, one, site, await bounded(handle, stop));
    const files = new Map((one.test.effects ?? []).map((path) => [path, observed.fileText(path)]));
    const fileText = (path: string): string | null => files.get(path) ?? null;
    return { commits: mortal.commits, log: readLog(logOf(site)), observed: { ...observed, fileText } };
  } finally {
    await services.close();
    await removeSite(site);
  }
}

function logOf({ folder }: Site): string {
  return join(folder, "performances.jsonl");
}

/** How an engine process ended: killed, by itself where its run makes fewer commits, or not able to do its work. */
type Death = "killed" | "ended" | { readonly problem: string };

async function dieAt(suite: Suite, one: SuiteCase, site: Site, at: Boundary): Promise<Death> {
  const task: EngineTask = { file: suite.file, line: one.line, site, log: logOf(site), at };
  const taskFile = join(site.folder, "task.json");
  writeFileSync(taskFile, JSON.stringify(task));
  const { TRAMMEL_LAUNCHER_FD: _, ...env } = process.env;
  const argv = [process.argv[1] ?? "", "test-engine", taskFile];
  const child = spawn(process.execPath, argv, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-limits.previewBytes);
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ problem: error.message }));
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") resolve("killed");
      else if (code === 0) resolve("ended");
      else resolve({ problem: `the engine ended with ${signal ?? code}: ${said.trim()}` });
    });
  });
}

async function afterwards(
  world: World,
  one: SuiteCase,
  site: Site,
  { at, death, reference }: { readonly at: Boundary; readonly death: Death; readonly reference: Reference },
  stop: AbortSignal,
): Promise<{ readonly failures: readonly Failure[]; readonly run: string | null }> {
  const where = `crash ${at.when} commit ${at.commit}`;
  const fail = (what: string, expected: string, actual: string): Failure => ({
    what: `${where}: ${what}`,
    expected,
    actual,
  });
  if (typeof death === "object")
    return { run: null, failures: [fail("engine", "runs until it is killed", death.problem)] };
  await quiet(world, site);
  const { run, observed, decided, problem } = await goOn(world, one, site, logOf(site), reference.log, stop);
  const log = readLog(logOf(site));
  if (problem !== null) return { run, failures: [fail("run", "goes on to its end", problem)] };
  const failures = repeated(
    (path) => one.nodes.get(withoutItems(path)),
    { log, reference: reference.log },
    decided,
  ).map(({ path, pass, times }) => fail(`${path}#${pass}`, "done once", `done ${times} times, and nobody decided so`));
  if (run === null && log.length > 0)
    failures.push(fail("run", "nothing done", "something was done before there was a run"));
  if (run === null && !isFirst(at)) failures.push(fail("run", "in the journal", "there is none"));
  if (observed !== null) failures.push(...(await endsAlike(one, observed, reference.observed, fail)));
  return { failures, run };
}

/** Only before its first commit is there no run. */
function isFirst({ when, commit }: Boundary): boolean {
  return when === "before" && commit === 1;
}

/** The end, the files that are expected, and the effects are those of a run that nothing happens to. */
async function endsAlike(
  { test }: SuiteCase,
  observed: Observed,
  usual: Observed,
  fail: (what: string, expected: string, actual: string) => Failure,
): Promise<readonly Failure[]> {
  const { files } = test.expect;
  const expect = { outcome: usual.status, ...(files === undefined ? {} : { files }) };
  const ofEnd = (await judge(expect, observed)).map(({ what, expected, actual }) => fail(what, expected, actual));
  const ofEffects = (test.effects ?? []).flatMap((path) => {
    const [was, is] = [usual.fileText(path), observed.fileText(path)];
    return was === is ? [] : [fail(`effects.${path}`, was ?? "not there", is ?? "not there")];
  });
  return [...ofEnd, ...ofEffects];
}

/** What the dead engine had started goes on for a while without it, as when nobody is there. */
async function quiet(world: World, { home }: Site): Promise<void> {
  const { openJournal } = await world.compose();
  const journal = openJournal(home, () => undefined);
  let owner: ProcessIdentity | undefined;
  try {
    owner = journal.runs(1)[0]?.owner;
  } finally {
    await journal.close();
  }
  if (owner !== undefined) await awaitOrphans(owner, limits.crashOrphanMs);
}
