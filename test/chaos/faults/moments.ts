import { type Case, cases } from "../cases.ts";
import { chances, inParallel } from "../chances.ts";
import { examine, type Figures, isSound, nothing, sum } from "../figures.ts";
import { goOn } from "../person.ts";
import { Site } from "../site.ts";

const begin = ["run", "t", "-b", "b.yaml", "--detach", "--json"];
/** Runs at once, each in a process of its own, over one store. */
const runsAtOnce = 8;
/** A command is at work from about here on, and over by then where nothing disturbs it. */
const firstMs = 20;
const spanMs = 500;

/** Kills engines at random moments while eight of them share a store, until so many were killed. */
export async function moments(kills: number, seed: number): Promise<Figures> {
  const chance = chances(seed);
  const rounds: Figures[] = [];
  let killed = 0;
  while (killed < kills) {
    using site = new Site();
    const works = cases
      .concat(cases)
      .slice(0, runsAtOnce)
      .map((of, i) => ({ of, work: site.work(of, `work-${i}`) }));
    const moment = (): number | undefined => (killed < kills ? firstMs + chance() * spanMs : undefined);
    await inParallel(works, runsAtOnce, async ({ work }) => {
      const kill = async (args: readonly string[]): Promise<void> => {
        const { signal } = await site.trammel(work, args, { killAfter: moment() });
        if (signal === "SIGKILL") killed += 1;
      };
      let run: string | undefined;
      while (run === undefined) {
        await kill(begin);
        run = (await site.stored()).find(({ row }) => row.cwd === work)?.row.run;
      }
      await goOn(site, work, run, kill);
    });
    rounds.push(await seen(site, new Map(works.map(({ of, work }) => [work, of]))));
  }
  return sum([...rounds, { ...nothing, cases: killed }]);
}

async function seen(site: Site, works: ReadonlyMap<string, Case>): Promise<Figures> {
  const found = await examine(site, works);
  return isSound(found) ? found : { ...found, wrong: [...found.wrong, await site.story()] };
}
