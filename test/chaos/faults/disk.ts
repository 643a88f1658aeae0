import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SmallDisk } from "../../support/small-disk.ts";
import { type Case, cases } from "../cases.ts";
import { chances, inParallel, sample } from "../chances.ts";
import { examine, type Figures, isSound, nothing, sum } from "../figures.ts";
import { goOn } from "../person.ts";
import { Site } from "../site.ts";

const begin = ["run", "t", "-b", "b.yaml", "--detach", "--json"];
/** A store just fits on it. */
const diskSize = "2m";

/** Fills the disk of the store when a commit is due: `most` of all commits of each blueprint, drawn by the seed. */
export async function fullDisk(most: number, seed: number): Promise<Figures> {
  const counted = await Promise.all(cases.map(async (of) => ({ of, commits: await commitsOf(of) })));
  const all = counted.flatMap(({ of, commits }) => Array.from({ length: commits }, (_, i) => ({ of, commit: i + 1 })));
  return sum(await inParallel(sample(all, most, chances(seed)), 2, filledAt));
}

async function commitsOf(of: Case): Promise<number> {
  using site = new Site();
  return await site.commitsOf(site.work(of), begin, Object.keys(of.actions).length + 1);
}

async function filledAt({ of, commit }: { readonly of: Case; readonly commit: number }): Promise<Figures> {
  using site = new Site();
  const work = site.work(of);
  using _disk = new SmallDisk(site.home, diskSize);
  const full = await site.trammel(work, begin, { at: `fill:${commit}:${site.home}` });
  const fillers = readdirSync(site.home).filter((name) => name.startsWith("filler-"));
  for (const name of fillers) rmSync(join(site.home, name));
  // What goes on side by side shares commits: it may have come to its end with fewer of them than were counted.
  const isFilled = fillers.length > 0;
  const wrong: string[] = [];
  const [before] = await site.stored();
  // What was under way is over, and the store says why; nothing more was
  // promised than it holds, which `examine` compares.
  if (isFilled && (full.code !== 6 || !full.stderr.includes("no space is left")))
    wrong.push(`${of.name}, full at commit ${commit}: ${full.code} ${full.stderr}`);
  if (before === undefined) await site.trammel(work, begin);
  const run = (before ?? (await site.stored())[0])?.row.run ?? "";
  await goOn(site, work, run);
  const found = await examine(site, new Map([[work, of]]));
  if (!isSound(found)) wrong.push(`${of.name}, full at commit ${commit}: ${await site.story()}`);
  return sum([found, { ...nothing, cases: isFilled ? 1 : 0, wrong }]);
}
