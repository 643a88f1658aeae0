import { setTimeout } from "node:timers/promises";
import { emptyConfig } from "../../config/config.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import type { Conflict, Journal, Queued, RunRow } from "../../ports/journal.ts";
import { self } from "../../runtime/processes/identity.ts";
import { unattendedGates } from "../asking/gate.ts";
import { dataHome } from "../store/home.ts";
import { blueprintToEnd } from "../store/inner-runs.ts";
import { packageRoot } from "../documents/package-root.ts";
import { bind } from "../running/prepare.ts";
import { isProblem, refuse, report, usage } from "../problem.ts";
import { findRun, missingRun, openStore } from "../store/stored-run.ts";
import { userName } from "../user.ts";
import { escaped } from "../../views/inert.ts";
import type { World } from "../world.ts";

/** Stops a run: by the mailbox where a process executes it, else here. One that waits for its turn leaves the queue. */
export async function stop(world: World, run: string): Promise<number> {
  const missing = await missingRun(world, run);
  if (missing !== null) return report(world, missing);
  const journal = await openStore(world);
  try {
    const row = findRun(journal, run);
    if ("queued" in row) return await leaveQueue(world, journal, row.queued);
    if (isProblem(row)) return report(world, row);
    if (row.parent !== undefined) {
      const { run: outer, node } = row.parent;
      return report(
        world,
        usage(`run ${row.run} is part of ${node} in run ${outer}`, `Stop that: trammel stop ${outer}`),
      );
    }
    return await stopOutermost(world, journal, row);
  } finally {
    await journal.close();
  }
}

/** It has no mailbox before it begins; should it begin meanwhile, the same signal stops it in order. */
async function leaveQueue(world: World, journal: Journal, { run, owner }: Queued): Promise<number> {
  const { isAlive } = await world.compose();
  try {
    if (isAlive(owner)) process.kill(owner.pid, "SIGTERM");
  } catch (error) {
    if (isAlive(owner)) return report(world, usage(`process ${owner.pid} cannot be told: ${messageOf(error)}`));
  }
  for (const until = performance.now() + limits.answerTakenMs; performance.now() < until;) {
    if (!journal.queued().some((one) => one.run === run)) {
      const hasBegun = journal.find(run) !== null;
      world.err.write(
        hasBegun ? `asked run ${run} to stop\n` : `run ${run} left the queue: nothing of it has happened\n`,
      );
      return exitCodes.ok;
    }
    await setTimeout(limits.answerPollMs);
  }
  return report(world, usage(`process ${owner.pid} was asked to let run ${run} go and still waits`));
}

/**
 * It is ours before anything in it ends: whoever went on with it meanwhile would find
 * a run inside in other hands, and is asked instead.
 */
async function stopOutermost(world: World, journal: Journal, { run }: RunRow): Promise<number> {
  const { isAlive } = await world.compose();
  let why: Conflict | null = null;
  let posted = false;
  for (let tries = 0; tries < limits.startTries; tries += 1) {
    const row = journal.find(run);
    if (row === null || row.endedAt !== null)
      return report(world, usage(`run ${run} is over: ${row?.status ?? "it was removed"}`));
    const read = [...journal.read(run)].at(-1)?.seq ?? 0;
    if (isAlive(row.owner)) {
      if (!posted) await journal.post(run, { type: "run.stop_requested", by: userName() });
      posted = true;
      if (!(await isHeard(journal, row, read, isAlive))) continue;
      world.err.write(`asked run ${run} to stop\n`);
      return exitCodes.ok;
    }
    why = await journal.takeOver(run, row.owner, self(), read, { onlyStopped: true });
    if (why === null) return stopFamily(world, journal, row);
  }
  return report(world, usage(why?.what ?? `run ${run} cannot be taken over`));
}

/** False where the run ended, or its owner is gone or has parked it, before the message was taken. */
async function isHeard(
  journal: Journal,
  { run, owner }: RunRow,
  read: number,
  isAlive: (process: ProcessIdentity) => boolean,
): Promise<boolean> {
  for (const until = performance.now() + limits.answerTakenMs; performance.now() < until;) {
    // Asked first: what an owner that is gone has recorded is all there.
    const lives = isAlive(owner);
    for (const { body } of journal.read(run, read)) {
      if (body.type === "run.stop_requested") return true;
      if (body.type === "run.finished") return false;
    }
    if (!lives) return false;
    await setTimeout(limits.answerPollMs);
  }
  return true;
}

/** Runs inside it first: nobody would end them once it has ended. */
async function stopFamily(world: World, journal: Journal, row: RunRow): Promise<number> {
  for (const inside of journal.runs(Number.MAX_SAFE_INTEGER, row.run)) {
    const exit = inside.endedAt === null ? await stopFamily(world, journal, inside) : exitCodes.ok;
    if (exit !== exitCodes.ok) return exit;
  }
  return stopHere(world, journal, row);
}

/** What it recorded is none of what it changed. */
function recordedInto(journal: Journal, row: RunRow): { readonly record?: string } {
  const [first] = journal.read(row.run);
  const folder = first?.body.type === "run.started" ? first.body.cassettes : undefined;
  return folder === undefined ? {} : { record: folder };
}

/** Nobody executes it: it is taken over to be ended, with nothing that it would need to go on. */
async function stopHere(world: World, journal: Journal, row: RunRow): Promise<number> {
  const { run, cwd, definition } = row;
  if (journal.definition(definition) === null)
    return report(world, usage(`the definition of run ${run} is gone, so it cannot be ended in order`));
  const read = await blueprintToEnd(world, journal, row);
  if (read === null)
    return report(world, usage(`this version refuses the definition of run ${run}, so it cannot be ended in order`));
  const blueprint = await bind(read, emptyConfig);
  const { openServices } = await world.compose();
  const services = await openServices({
    home: dataHome(world.env, world.cwd),
    cwd,
    env: world.env,
    config: emptyConfig,
    blueprint,
    gates: unattendedGates,
    ...recordedInto(journal, row),
    ownFolders: [packageRoot()],
    notice: (what) => world.err.write(`${escaped(what)}\n`),
  });
  try {
    const hashes = { contentHash: definition, bindingHash: "" };
    const request = { run, blueprint, ...hashes, acceptChanges: false, stop: userName() };
    const handle = await services.engine.resume(request, { event: () => undefined, progress: () => undefined });
    if ("refused" in handle) return refuse(world, handle);
    const { status } = await handle.end;
    world.err.write(`run ${run} ${status}\n`);
    return exitCodes.ok;
  } finally {
    await services.close();
  }
}
