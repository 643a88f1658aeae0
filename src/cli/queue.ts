import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../model/limits.ts";
import type { JournalReader } from "../ports/journal.ts";
import type { Refusal, RunHandle } from "../runtime/api.ts";
import { inert } from "../views/inert.ts";
import type { World } from "./world.ts";

/** Begins a run once no other has its working tree. Of several that wait, whoever looks first is next. */
export async function inTurn(
  world: World,
  journal: Pick<JournalReader, "find">,
  begin: () => Promise<RunHandle | Refusal>,
  interrupted: AbortSignal,
): Promise<RunHandle | Refusal> {
  const { isAlive } = await world.compose();
  const holds = (run: string): boolean => {
    const row = journal.find(run);
    return row !== null && row.endedAt === null && isAlive(row.owner);
  };
  for (;;) {
    const begun = await begin();
    if (!("refused" in begun) || begun.holder === undefined || interrupted.aborted) return begun;
    world.err.write(`waiting: ${inert(begun.message)}\n`);
    while (holds(begun.holder) && !interrupted.aborted)
      await pause(limits.queuePollMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return begun;
  }
}
