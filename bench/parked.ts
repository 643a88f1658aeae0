import { composition } from "../src/compose.ts";
import { check } from "../src/check/check.ts";
import { patientGates } from "../src/cli/asking/parking.ts";
import { emptyConfig } from "../src/config/config.ts";
import { limits } from "../src/model/limits.ts";
import { openGates } from "../src/views/open-gates.ts";

const text = `name: parked
entry: ask
nodes:
  ask: {type: human, mode: input, prompt: "Go on with what?"}
`;
const atOnce = 100;

/** What a process is after it has listed all runs and read the question of each that waits. */
export interface Looked {
  readonly rssBytes: number;
  readonly timers: number;
  readonly waiting: number;
}

/**
 * usage: parked.ts park HOME RUNS — begins so many runs and parks each at its
 * gate; parked.ts look HOME — prints {@link Looked}.
 */
async function main(what: string, home: string, runs: number): Promise<void> {
  const place = { home, cwd: home, env: process.env, ownFolders: [] };
  const notice = (said: string): void => console.error(said);
  const services = await composition.openServices({ ...place, config: emptyConfig, gates: patientGates, notice });
  if (what === "park") {
    for (let n = 0; n < runs; n += atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, runs - n) }, () => park(services, home)));
  } else {
    const live = services.journal.runs(limits.runsInInbox, null, "live");
    const waiting = live.filter(({ run }) => openGates(services.journal.read(run)).length > 0).length;
    const timers = process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
    console.log(JSON.stringify({ rssBytes: process.memoryUsage().rss, timers, waiting } satisfies Looked));
  }
  await services.close();
}

async function park({ engine }: Awaited<ReturnType<typeof composition.openServices>>, home: string): Promise<void> {
  const { blueprint } = check(text, {});
  if (blueprint === null) throw new Error("the checker refuses it");
  const opened = Promise.withResolvers<void>();
  const observer = {
    event: ({ body }: { readonly body: { readonly type: string } }) => {
      if (body.type === "gate.opened") opened.resolve();
    },
    progress: () => undefined,
  };
  const request = {
    blueprint,
    document: text,
    contentHash: "content",
    bindingHash: "binding",
    task: "bench",
    inputs: {},
    cwd: home,
  };
  const handle = await engine.start(request, observer);
  if ("refused" in handle) throw new Error(handle.message);
  await opened.promise;
  // What has just been told may still be on its way to be acted on.
  while (!handle.leave("park")) await new Promise(setImmediate);
  await handle.end;
}

if (import.meta.main) await main(process.argv[2] ?? "", process.argv[3] ?? "", Number(process.argv[4] ?? 0));
