/** One measured thing beside its floor: what the same machine needs at least, or what a peer needs, in the same run. */
export interface Measured {
  /** Unit of `subject` and `floor`, e.g. "µs a node". */
  readonly unit: string;
  readonly subject: number;
  readonly floor: number | null;
  /** What is judged: subject ÷ floor where there is a floor (median of the rounds), else the subject itself. */
  readonly figure: number;
  /** One line for the reader: sizes, further figures. */
  readonly note?: string;
}

export interface Row {
  /** As `npm run bench -- NAME` selects it. */
  readonly id: string;
  readonly what: string;
  readonly floorName: string;
  /** The figure to reach. */
  readonly reach: { readonly atMost: number } | { readonly atLeast: number };
  /** Whether the figure is a ratio. */
  readonly ratio: boolean;
  measure(): Promise<Measured>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export interface Rounds {
  readonly subject: number;
  readonly floor: number;
  /** Median of the ratios of single rounds: what both sides suffer at the same time cancels out. */
  readonly ratio: number;
}

type Side = () => number | Promise<number>;

/** Medians of `rounds` rounds after one to warm up. The two sides take turns in going first. */
export async function interleave(rounds: number, subject: Side, floor: Side): Promise<Rounds> {
  const pairs: { subject: number; floor: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const first = round % 2 === 0;
    const early = first ? await floor() : await subject();
    const late = first ? await subject() : await floor();
    if (round > 0) pairs.push(first ? { floor: early, subject: late } : { subject: early, floor: late });
  }
  return {
    subject: median(pairs.map((pair) => pair.subject)),
    floor: median(pairs.map((pair) => pair.floor)),
    ratio: median(pairs.map((pair) => pair.subject / pair.floor)),
  };
}

export function against(unit: string, { subject, floor, ratio }: Rounds, note?: string): Measured {
  return { unit, subject, floor, figure: ratio, ...(note === undefined ? {} : { note }) };
}

export function alone(unit: string, values: readonly number[], note?: string): Measured {
  const subject = median(values);
  return { unit, subject, floor: null, figure: subject, ...(note === undefined ? {} : { note }) };
}
