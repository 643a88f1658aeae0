import { type Case, cases } from "../cases.ts";
import { chances, inParallel, sample } from "../chances.ts";
import { examine, type Figures, isSound, nothing, sum } from "../figures.ts";
import { goOn } from "../person.ts";
import { type Disturbance, effectsIn, Site } from "../site.ts";

const begin = ["run", "t", "-b", "b.yaml", "--detach", "--json"];

/** Kills the engine at boundaries of the journal of each blueprint: `most` of all of them, drawn by the seed. */
export async function boundaries(most: number, seed: number): Promise<ReadonlyMap<string, Figures>> {
  const chance = chances(seed);
  const all = (await Promise.all(cases.map(placesOf))).flat();
  const chosen = sample(all, most, chance).map((place) => ({ ...place, seed: Math.floor(chance() * 2 ** 31) }));
  const figures = await inParallel(chosen, 3, (place) => killedAt(place));
  return new Map(cases.map((of) => [of.name, sum(figures.filter((_, at) => chosen[at]?.of === of))] as const));
}

interface Place {
  readonly of: Case;
  /** A run that stands still is killed while somebody decides about it. */
  readonly decided: boolean;
  readonly at: string;
}

/** Before and after each commit that an undisturbed run makes. */
async function placesOf(of: Case): Promise<readonly Place[]> {
  using site = new Site();
  const work = site.work(of);
  const running = await site.commitsOf(work, begin, Object.keys(of.actions).length + 1);
  const places = both(running).map((at) => ({ of, decided: false, at }));
  if (of.decision === undefined) return places;
  const [run] = await site.stored();
  const deciding = await site.commitsOf(work, of.decision(run?.row.run ?? ""), 3);
  return [...places, ...both(deciding).map((at) => ({ of, decided: true, at }))];
}

function both(commits: number): readonly string[] {
  return Array.from({ length: commits }, (_, i) => [`before:${i + 1}`, `after:${i + 1}`]).flat();
}

async function killedAt({ of, decided, at, seed }: Place & { readonly seed: number }): Promise<Figures> {
  using site = new Site();
  const work = site.work(of);
  const chance = chances(seed);
  const first = await site.trammel(work, begin, decided ? {} : { at });
  const killed = first.signal === "SIGKILL";
  // One that died before its run was recorded has done nothing, and the task is begun anew.
  const wrong: string[] = [];
  if ((await site.stored()).length === 0) {
    if (effectsIn(work).length > 0) wrong.push(`${of.name} ${at}: an action without a run`);
    await site.trammel(work, begin);
  }
  const [run] = await site.stored();
  let commands = 0;
  const again = (): Disturbance => {
    commands += 1;
    if (commands === 1 && decided) return { at };
    // One in three of those that go on with it is killed as well.
    return commands < 4 && chance() < 1 / 3
      ? { at: `${chance() < 1 / 2 ? "before" : "after"}:${1 + Math.floor(chance() * 4)}` }
      : {};
  };
  if (run === undefined) wrong.push(`${of.name} ${at}: no run was recorded, ${first.stderr}`);
  else await goOn(site, work, run.row.run, (args) => site.trammel(work, args, again()));
  const found = await examine(site, new Map([[work, of]]));
  if (!isSound(found))
    wrong.push(`${of.name} ${decided ? "decided " : ""}${at}, drawn by ${seed}: ${await site.story()}`);
  return sum([found, { ...nothing, cases: killed || decided ? 1 : 0, wrong }]);
}
