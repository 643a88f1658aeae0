import { exitCodes } from "../../model/outcome.ts";
import { inert } from "../../views/inert.ts";
import type { Inbox } from "../../wire/inbox.ts";
import { waitingGates } from "../inner-runs.ts";
import { instant } from "../report.ts";
import { openStoreToRead } from "../stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

const mostRuns = 1000;

/** Lists everything that waits for a person, oldest first. */
export async function inbox(world: World, options: { readonly json?: true }): Promise<number> {
  const journal = await openStoreToRead(world);
  const live = journal.runs(mostRuns).filter(({ status }) => status === "waiting" || status === "running");
  const waiting = live.flatMap((row) =>
    waitingGates(journal, row).map(({ gate, since, path }) => ({
      run: row.run,
      blueprint: row.blueprint,
      node: path,
      mode: gate.mode,
      prompt: gate.prompt,
      since,
    })),
  );
  const sorted = waiting.toSorted((a, b) => a.since - b.since).map((one) => ({ ...one, since: instant(one.since) }));
  await journal.close();
  if (options.json === true) {
    world.out.write(jsonLine({ waiting: sorted } satisfies Inbox));
    return exitCodes.ok;
  }
  const line = (one: Inbox["waiting"][number]): string =>
    `${one.run}  ${one.node}: ${inert(one.prompt).replace(/\s+/g, " ")}\n  trammel answer ${one.run} ${one.node} ${placeholder[one.mode]}\n`;
  world.out.write(sorted.map(line).join(""));
  if (sorted.length === 0) world.err.write("nothing waits for a person\n");
  return exitCodes.ok;
}

const placeholder = { approval: "yes|no", input: "TEXT", choice: "OPTION", form: `'{"field": …}'` } as const;
