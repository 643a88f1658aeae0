import { readFileSync } from "node:fs";
import { exitCodes } from "../../model/outcome.ts";
import { logTo } from "../../testing/log.ts";
import { type Boundary, MortalJournal } from "../../testing/mortal.ts";
import { refuse, report, usage } from "../problem.ts";
import type { World } from "../world.ts";
import { openStage, requestOf, silent, type Site } from "./perform.ts";
import { readSuite } from "./suite.ts";

/** What an engine of a test does that is a process of its own, so that it can die. */
export interface EngineTask {
  /** Absolute path of the test file, and the line of the test in it. */
  readonly file: string;
  readonly line: number;
  readonly site: Site;
  /** Where performances are written down. */
  readonly log: string;
  readonly at: Boundary;
}

/**
 * Starts the run of a test and kills this very process at a boundary. Ends like
 * any other where the run does not come that far.
 */
export async function runEngine(world: World, taskFile: string): Promise<number> {
  // Written by the process that started this one.
  const task = JSON.parse(readFileSync(taskFile, "utf8")) as EngineTask;
  const suite = await readSuite(world, task.file);
  if (typeof suite === "number") return suite;
  const one = suite.cases.find(({ line }) => line === task.line);
  if (one === undefined) return report(world, usage(`there is no test in line ${task.line} of ${task.file}`));
  const mortal = new MortalJournal(task.at, () => process.kill(process.pid, "SIGKILL"));
  const witness = logTo(task.log, null);
  const services = await openStage(world, one, task.site, {
    loose: true,
    witness,
    journal: (inner) => mortal.around(inner),
  });
  try {
    const handle = await services.engine.start(requestOf(one, task.site), silent);
    if ("refused" in handle) return refuse(world, handle);
    await handle.end;
    return exitCodes.ok;
  } finally {
    await services.close();
  }
}
