import { answers } from "./faults/answers.ts";
import { boundaries } from "./faults/boundaries.ts";
import { clockJumps } from "./faults/clock.ts";
import { fullDisk } from "./faults/disk.ts";
import { moments } from "./faults/moments.ts";
import { owners } from "./faults/owners.ts";
import { torn } from "./faults/torn.ts";
import { type Figures } from "./figures.ts";

export interface Budget {
  /** Of the boundaries of all journals. */
  readonly boundaries: number;
  readonly kills: number;
  /** Of the commits of all blueprints. */
  readonly fullDisks: number;
  /** Of the bytes of the last record. */
  readonly cuts: number;
  readonly owners: number;
  readonly answers: number;
  /** Of the times at which a clock can be set. */
  readonly clocks: number;
}

export const budgets = {
  whole: {
    boundaries: Infinity,
    kills: 200,
    fullDisks: Infinity,
    cuts: Infinity,
    owners: 30,
    answers: 50,
    clocks: Infinity,
  },
  /** With every other test. */
  small: { boundaries: 40, kills: 16, fullDisks: 6, cuts: 150, owners: 3, answers: 6, clocks: 16 },
} as const satisfies Readonly<Record<string, Budget>>;

type Play = () => Promise<ReadonlyMap<string, Figures>>;

/** Every kind of fault by its name; the figures of one have a name each where there are several. */
export function allFaults(budget: Budget, seed: number): ReadonlyMap<string, Play> {
  const one =
    (play: () => Promise<Figures>): Play =>
    async () =>
      new Map([["", await play()]]);
  return new Map<string, Play>([
    ["kill -9 at a boundary of the journal", () => boundaries(budget.boundaries, seed)],
    ["kill -9 at a random moment, 8 runs at once", one(() => moments(budget.kills, seed))],
    ["full disk at a commit", one(() => fullDisk(budget.fullDisks, seed))],
    ["last record cut at a byte", one(() => torn(budget.cuts, seed))],
    ["two engines, one run", one(() => owners(budget.owners, seed))],
    ["two answers at once", one(() => answers(budget.answers))],
    ["clock of the system set by a day", one(() => clockJumps(budget.clocks, seed))],
  ]);
}

interface Line {
  readonly name: string;
  readonly figures: Figures;
  readonly seconds: number;
}

/** One line of the table; its head where there is none. */
export function print(line: Line | null): void {
  const columns = line === null ? heads : numbers(line);
  console.log(`${(line?.name ?? "fault").padEnd(46)}${columns.map((one) => one.padStart(11)).join("")}`);
  for (const what of line?.figures.wrong ?? []) console.log(`  ${what}`);
}

const heads = ["cases", "done twice", "not done", "lost events", "unended", "left", "else", "seconds"];

function numbers({ figures, seconds }: Line): readonly string[] {
  const { cases, twice, missing, lost, unended, left, wrong } = figures;
  return [cases, twice, missing, lost, unended, left, wrong.length].map(String).concat(seconds.toFixed(1));
}
