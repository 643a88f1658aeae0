import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../model/limits.ts";
import { exitCodes, type RunStatus } from "../../model/outcome.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { plainLine } from "../../views/plain.ts";
import { end } from "../ending.ts";
import { attachLauncher } from "../launcher.ts";
import { eventLine } from "../report.ts";
import { readingRun } from "../store/stored-run.ts";
import type { World } from "../world.ts";

export interface LogsOptions {
  readonly follow?: true;
  readonly json?: true;
}

export function logs(world: World, run: string, options: LogsOptions): Promise<number> {
  return readingRun(world, run, async (row, journal) => {
    const last = print(world, journal, row, 0, options);
    if (options.follow === true) await follow(world, journal, row, last, options);
    return exitCodes.ok;
  });
}

/** Another process writes; the store tells nobody, so it is asked. */
async function follow(
  world: World,
  journal: JournalReader,
  row: RunRow,
  printed: number,
  options: LogsOptions,
): Promise<void> {
  const stopped = (): void => end(exitCodes.stopped);
  attachLauncher(process.env, { interrupt: stopped, gone: stopped });
  let last = printed;
  while (isLive(journal.find(row.run)?.status) && !world.out.closed()) {
    await pause(limits.followMs);
    last = print(world, journal, row, last, options);
  }
  print(world, journal, row, last, options);
}

function isLive(status: RunStatus | undefined): boolean {
  return status === "running" || status === "waiting";
}

/** Answers the sequence number of the last event. */
function print(world: World, journal: JournalReader, row: RunRow, after: number, options: LogsOptions): number {
  let last = after;
  for (const event of journal.read(row.run, after)) {
    last = event.seq;
    const line = options.json === true ? eventLine(event) : plainLine(event, row.startedAt);
    if (line !== null) world.out.write(options.json === true ? line : `${line}\n`);
  }
  return last;
}
