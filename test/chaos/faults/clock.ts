import { type Case, gateCase, waits } from "../cases.ts";
import { chances, inParallel, sample } from "../chances.ts";
import { examine, type Figures, isSound, nothing, sum } from "../figures.ts";
import { goOn } from "../person.ts";
import { type Disturbance, Site } from "../site.ts";

const dayMs = 86_400_000;
/** Far above what anything here waits for, far below the jumps. */
const longMs = 20_000;
const pauseMs = 300;
const commitsOfWaits = 9;

interface Try {
  readonly name: string;
  readonly of: Case;
  readonly jumpMs: number;
  /** It may not be over before. */
  readonly atLeastMs: number;
  readonly play: (site: Site, work: string, jumpMs: number) => Promise<void>;
}

/**
 * Sets the clock of the system a day forward and back around waits, timeouts and gates, while they stand and between
 * two engines: `most` of all of these, drawn by the seed.
 */
export async function clockJumps(most: number, seed: number): Promise<Figures> {
  const commits = Array.from({ length: commitsOfWaits }, (_, i) => i + 1);
  const tries = [-dayMs, dayMs].flatMap((jumpMs): readonly Try[] => [
    // A pause is not cut short by the clock of the system while its engine lives.
    ...commits.map((n) => ({
      name: `set at commit ${n}`,
      of: waits,
      jumpMs,
      atLeastMs: pauseMs,
      play: whileItRuns(n),
    })),
    ...commits.map((n) => ({
      name: `set after death at ${n}`,
      of: waits,
      jumpMs,
      atLeastMs: 0,
      play: betweenEngines(n),
    })),
    { name: "set before the answer", of: gateCase, jumpMs, atLeastMs: 0, play: beforeTheAnswer },
    { name: "set while nobody answers", of: expiring, jumpMs, atLeastMs: 0, play: atATerminal },
  ]);
  return sum(await inParallel(sample(tries, most, chances(seed)), 3, tried));
}

async function tried({ name, of, jumpMs, atLeastMs, play }: Try): Promise<Figures> {
  using site = new Site();
  const work = site.work(of);
  const begun = performance.now();
  await play(site, work, jumpMs);
  const tookMs = Math.round(performance.now() - begun);
  const found = await examine(site, new Map([[work, of]]));
  const sound = tookMs <= longMs && tookMs >= atLeastMs && isSound(found);
  const wrong = sound ? [] : [`clock ${name} by ${jumpMs} ms, over after ${tookMs} ms: ${await site.story()}`];
  return sum([found, { ...nothing, cases: 1, wrong }]);
}

function whileItRuns(commit: number): Try["play"] {
  return async (site, work, jumpMs) => {
    await site.trammel(work, ["run", "t", "-b", "b.yaml", "--json"], { at: `jump:${commit}:${jumpMs}` });
  };
}

function betweenEngines(commit: number): Try["play"] {
  return async (site, work, jumpMs) => {
    await site.trammel(work, ["run", "t", "-b", "b.yaml", "--json"], { at: `after:${commit}` });
    await goOnAt(site, work, { wall: jumpMs });
  };
}

async function beforeTheAnswer(site: Site, work: string, jumpMs: number): Promise<void> {
  await site.trammel(work, ["run", "t", "-b", "b.yaml", "--detach", "--json"]);
  await goOnAt(site, work, { wall: jumpMs });
}

async function goOnAt(site: Site, work: string, how: Disturbance): Promise<void> {
  const run = (await site.stored())[0]?.row.run ?? "";
  await goOn(site, work, run, (args) => site.trammel(work, args, how));
}

/** Nobody answers: after its time the default stands. */
const expiring: Case = {
  name: "expiring",
  documents: {
    "b.yaml": (gateCase.documents["b.yaml"] ?? "").replace(
      "mode: approval,",
      "mode: approval, timeout: 500ms, default: yes,",
    ),
  },
  actions: gateCase.actions,
};

/** Killed at its open gate, and resumed where somebody could be asked. */
async function atATerminal(site: Site, work: string, jumpMs: number): Promise<void> {
  await site.trammel(work, ["run", "t", "-b", "b.yaml", "--detach", "--json"]);
  const run = (await site.stored())[0]?.row.run ?? "";
  await site.trammel(work, ["resume", run, "--json"], { wall: jumpMs, terminal: true });
}
