import { type Effect, effectsIn, type Site, type Stored } from "./site.ts";
import type { Case } from "./cases.ts";
import { unlikeReplay } from "../support/replayed.ts";

/** What was counted over a number of cases. All but the first must be nothing. */
export interface Figures {
  readonly cases: number;
  /** Performances beyond one of an action in a pass. */
  readonly twice: number;
  /** Actions that the journal holds for done and that were not. */
  readonly missing: number;
  /**
   * Events that somebody was told of or that an action proves, and that the journal does not have; gaps in its numbers.
   */
  readonly lost: number;
  /** Runs that did not come to their end. */
  readonly unended: number;
  /** Processes that still lived when their run was over. */
  readonly left: number;
  /** Anything else that was not as it must be. */
  readonly wrong: readonly string[];
}

export const nothing: Figures = { cases: 0, twice: 0, missing: 0, lost: 0, unended: 0, left: 0, wrong: [] };

export function sum(all: readonly Figures[]): Figures {
  return all.reduce(
    (a, b) => ({
      cases: a.cases + b.cases,
      twice: a.twice + b.twice,
      missing: a.missing + b.missing,
      lost: a.lost + b.lost,
      unended: a.unended + b.unended,
      left: a.left + b.left,
      wrong: [...a.wrong, ...b.wrong],
    }),
    nothing,
  );
}

export function isSound({ twice, missing, lost, unended, left, wrong }: Figures): boolean {
  return twice + missing + lost + unended + left + wrong.length === 0;
}

/**
 * Looks at a site in which every run should be over: what the actions noted
 * in each folder against what the journal says.
 */
export async function examine(site: Site, works: ReadonlyMap<string, Case>): Promise<Figures> {
  const stored = await site.stored();
  const known = new Set(stored.flatMap(({ row, events }) => events.map(({ seq }) => `${row.run} ${seq}`)));
  const untold = site.told().filter(({ run, seq }) => !known.has(`${run} ${seq}`));
  const gaps = stored.filter(({ events }) => events.some(({ seq }, i) => seq !== i + 1));
  const top = stored.filter(({ row }) => row.parent === undefined);
  const figures = [...works].map(([work, of]) => actionsIn(work, of, stored));
  const lost = untold.length + gaps.length;
  const wrong = await unlikeReplay(site.home);
  const unended = top.filter(({ row }) => row.status !== "succeeded").length;
  return sum([...figures, { ...nothing, lost, unended, left: site.left().length, wrong }]);
}

function actionsIn(work: string, of: Case, stored: readonly Stored[]): Figures {
  const effects = effectsIn(work);
  const mine = stored.filter(({ row }) => row.cwd === work);
  const runs = mine.filter(({ row }) => row.parent === undefined && row.status === "succeeded").length;
  const claimed = new Map(mine.map(({ row, events }) => [row.run, passesIn(events)]));
  // By the pass, so that a loop that ends a pass sooner because of it cannot hide
  // it, and by its name, whatever run it was done in.
  const byPass = beyond(countBy(effects, keyOf), (key) => {
    const [run = "", node = ""] = key.split(" ");
    return claimed.get(run)?.get(node) ?? 0;
  });
  const byName = beyond(
    countBy(effects, ({ what }) => what),
    (what) => (of.actions[what] ?? 0) * Math.max(runs, 1),
  );
  const named = countBy(effects, ({ what }) => what);
  const missing = Object.entries(of.actions).reduce(
    (count, [what, times]) => count + Math.max(0, times * runs - (named.get(what) ?? 0)),
    0,
  );
  const unclaimed = effects.filter(({ run, node }) => claimed.get(run)?.has(node) !== true).length;
  return { ...nothing, twice: Math.max(byPass, byName), missing, lost: unclaimed };
}

export function keyOf({ run, node }: Effect): string {
  return `${run} ${node}`;
}

/** Passes that each node of a run has begun. */
export function passesIn(events: Stored["events"]): ReadonlyMap<string, number> {
  const passes = new Map<string, number>();
  for (const { body } of events)
    if (body.type === "node.started") passes.set(body.node, Math.max(passes.get(body.node) ?? 0, body.pass));
  return passes;
}

export function countBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

function beyond(counts: ReadonlyMap<string, number>, allowed: (key: string) => number): number {
  return [...counts].reduce((sum, [key, count]) => sum + Math.max(0, count - allowed(key)), 0);
}
