import { recompute, type Difference } from "../../engine/recompute.ts";
import { compile } from "../../graph/plan.ts";
import type { EventBody, JournalEvent } from "../../model/events.ts";
import { exitCodes } from "../../model/outcome.ts";
import { inert } from "../../views/inert.ts";
import { sentence } from "../../views/plain.ts";
import { isProblem, type Problem, report } from "../problem.ts";
import { findRun, openStore } from "../stored-run.ts";
import type { World } from "../world.ts";

interface Replayed {
  readonly run: string;
  readonly events: number;
  /** `seq` is the number of the event in the journal. */
  readonly difference: (Omit<Difference, "index"> & { readonly seq: number }) | null;
}

/** Recomputes a run from what came from the world, without a process or a model: the journal must say what the engine decides. */
export async function replay(world: World, run: string, options: { readonly json?: true }): Promise<number> {
  const journal = await openStore(world);
  const replayed = await replayOf(journal, run);
  await journal.close();
  if (isProblem(replayed)) return report(world, replayed);
  world.out.write(options.json === true ? `${JSON.stringify(replayed)}\n` : text(replayed));
  return replayed.difference === null ? exitCodes.ok : exitCodes.failed;
}

async function replayOf(journal: Awaited<ReturnType<typeof openStore>>, run: string): Promise<Replayed | Problem> {
  const row = findRun(journal, run);
  if (isProblem(row)) return row;
  const { check } = await import("../../check/check.ts");
  const document = journal.definition(row.definition);
  const blueprint = document === null ? null : check(document, {}).blueprint;
  if (blueprint === null) {
    const message = `the blueprint of run ${row.run} is not kept any more, or this version refuses it`;
    return { exit: exitCodes.failed, message, hint: `trammel show ${row.run} prints what was recorded.` };
  }
  const events = untilChanged([...journal.read(row.run)]);
  const difference = recompute(compile(blueprint), events);
  if (difference === null) return { run: row.run, events: events.length, difference };
  const { index, recorded, recomputed } = difference;
  return { run: row.run, events: events.length, difference: { seq: index + 1, recorded, recomputed } };
}

/** From a resume with a changed blueprint on, the one that the run started with says no more. */
function untilChanged(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const changed = events.findIndex(({ body }) => body.type === "run.resumed" && body.accepted !== undefined);
  return changed < 0 ? events : events.slice(0, changed);
}

function text({ run, events, difference }: Replayed): string {
  if (difference === null) return `${run}: ${events} events recomputed, the same\n`;
  const { seq, recorded, recomputed } = difference;
  return `${run}: event ${seq} differs\n  recorded    ${line(recorded)}\n  recomputed  ${line(recomputed)}\n`;
}

function line(body: EventBody | null): string {
  return body === null ? "nothing" : inert(`${body.type}: ${sentence(body) ?? ""}`).replace(/\s+/g, " ");
}
