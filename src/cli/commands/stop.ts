import { exitCodes } from "../../model/outcome.ts";
import { isProblem, report, usage } from "../problem.ts";
import { findRun, openStore } from "../stored-run.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";

/** Puts a stop into the mailbox of the run; the process that executes it takes it from there. */
export async function stop(world: World, run: string): Promise<number> {
  const journal = await openStore(world);
  const row = findRun(journal, run);
  if (isProblem(row)) return report(world, row);
  if (row.status === "interrupted") {
    return report(
      world,
      usage(`run ${row.run} is interrupted: nothing executes it`, `Go on with it: trammel resume ${row.run}`),
    );
  }
  if (row.status !== "running" && row.status !== "waiting") {
    return report(world, usage(`run ${row.run} is over: ${row.status}`));
  }
  const { isAlive } = await world.compose();
  if (!isAlive(row.owner)) {
    return report(
      world,
      usage(`run ${row.run} is parked: nothing executes it`, "It goes on with an answer: trammel inbox"),
    );
  }
  await journal.post(row.run, { type: "run.stop_requested", by: userName() });
  await journal.close();
  world.err.write(`asked run ${row.run} to stop\n`);
  return exitCodes.ok;
}
