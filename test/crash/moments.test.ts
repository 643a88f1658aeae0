import { afterEach, beforeEach, expect, test } from "vitest";
import { chances } from "./chances.ts";
import { differenceIn, five, Site } from "./harness.ts";

/** `npm run test:chaos` sets both; the seed of a failure brings the same moments back. */
const kills = Number(process.env["CHAOS_KILLS"] ?? 8);
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(() => site.remove());

/** Kills the engine after so much of a second, unless it is over before; null when it was killed. */
async function killedAfter(ms: number, args: readonly string[]): Promise<Readonly<Record<string, unknown>> | null> {
  const { pid, exited } = site.engine(args);
  const timer = setTimeout(() => process.kill(pid, "SIGKILL"), ms);
  const { signal, lines } = await exited;
  clearTimeout(timer);
  return signal === null ? (lines.at(-1) ?? {}) : null;
}

test(
  `an engine killed at ${kills} moments comes to its end each time, having done nothing twice (seed ${seed})`,
  async () => {
    const chance = chances(seed);
    // A process that starts takes about a third of a second before it has opened the store.
    const moment = (): number => 150 + chance() * 700;
    let killed = 0;
    await site.start(five("", "$TRAMMEL_RUN-"), "before:1"); // leaves the document
    while (killed < kills) {
      const before = new Set((await site.journaled()).map(({ row }) => row.run));
      let end = await killedAfter(moment(), ["start", site.home, site.cwd, site.document]);
      const run = (await site.journaled()).find(({ row }) => !before.has(row.run))?.row.run;
      while (run !== undefined && end === null) {
        killed += 1;
        end = await goOn(run, killed < kills ? moment() : 600_000);
      }
      if (run === undefined) killed += 1;
      expect(run === undefined || end !== null).toBe(true);
    }
    const runs = await site.journaled();
    const stored = new Set(runs.flatMap(({ events }) => events.map(({ run, seq, hash }) => `${run} ${seq} ${hash}`)));
    expect(site.told().filter((line) => !stored.has(line))).toEqual([]);
    expect(runs.map(({ row }) => row.status)).toEqual(runs.map(() => "succeeded"));
    expect(runs.map(differenceIn)).toEqual(runs.map(() => null));
    const done = site.done();
    expect(done.filter((line, i) => done.indexOf(line) !== i)).toEqual([]);
  },
  kills * 20_000,
);

/** Resumes a run, deciding that what is unconfirmed was done; null when it was killed on the way. */
async function goOn(run: string, afterMs: number): Promise<Readonly<Record<string, unknown>> | null> {
  const end = await killedAfter(afterMs, ["resume", site.home, run]);
  const waits = end === null ? false : end["status"] === "needs_attention" || end["refused"] === "finished";
  if (!waits) return end;
  const found = (await site.journaled()).find(({ row }) => row.run === run);
  const open = found?.events.findLast(({ body }) => body.type === "node.unconfirmed")?.body;
  if (found?.row.status !== "needs_attention" || open?.type !== "node.unconfirmed") return end;
  return killedAfter(afterMs, ["resume", site.home, run, "settle", open.node, "done"]);
}
