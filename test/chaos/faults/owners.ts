import { linearCase } from "../cases.ts";
import { chances } from "../chances.ts";
import { examine, type Figures, isSound, nothing, sum } from "../figures.ts";
import { goOn } from "../person.ts";
import { Site } from "../site.ts";

/** Two engines go on with one run of one store at once, as often as that; where a run ends up there was one winner. */
export async function owners(rounds: number, seed: number): Promise<Figures> {
  const chance = chances(seed);
  const all: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    using site = new Site();
    const work = site.work(linearCase);
    const at = `after:${2 + Math.floor(chance() * 5)}`;
    await site.trammel(work, ["run", "t", "-b", "b.yaml", "--detach", "--json"], { at });
    const run = (await site.stored())[0]?.row.run ?? "";
    const both = await Promise.all([1, 2].map(() => site.trammel(work, ["resume", run, "--detach", "--json"])));
    const won = both.filter(({ code }) => code !== 2).length;
    const turnedAway = both.filter(({ code, stderr }) => code === 2 && stderr.startsWith("trammel: ")).length;
    await goOn(site, work, run);
    const found = await examine(site, new Map([[work, linearCase]]));
    const sound = won <= 1 && won + turnedAway === 2 && isSound(found);
    all.push(
      sum([
        found,
        { ...nothing, cases: 1, wrong: sound ? [] : [`two that resume after ${at}: ${await site.story()}`] },
      ]),
    );
  }
  return sum(all);
}
