import type { Measured, Row } from "./measure.ts";

export interface Line {
  readonly row: Row;
  readonly measured: Measured | { readonly failed: string };
}

export function holds(row: Row, measured: Measured): boolean {
  return "atMost" in row.reach ? measured.figure <= row.reach.atMost : measured.figure >= row.reach.atLeast;
}

/** One line a row: the judged figure first, what to reach beside it. */
export function formatLine({ row, measured }: Line): string {
  const reach = "atMost" in row.reach ? `≤ ${row.reach.atMost}` : `≥ ${row.reach.atLeast}`;
  if ("failed" in measured) return `${"–".padStart(9)}  ${reach.padEnd(9)} failed  ${row.what}: ${measured.failed}`;
  const figure = row.ratio ? `${digits(measured.figure)} ×` : digits(measured.figure);
  const floor = measured.floor === null ? "" : `   ${row.floorName}: ${digits(measured.floor)}`;
  const verdict = holds(row, measured) ? "holds " : "MISSED";
  const note = measured.note === undefined ? "" : `   (${measured.note})`;
  return `${figure.padStart(9)}  ${reach.padEnd(9)} ${verdict}  ${row.what}: ${digits(measured.subject)} ${measured.unit}${floor}${note}`;
}

/** Three significant digits, plain. */
function digits(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

export interface Results {
  readonly at: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly rows: readonly object[];
}

export function resultOf({ row, measured }: Line): object {
  const { id, what, floorName, ratio, reach } = row;
  const verdict = "failed" in measured ? null : holds(row, measured);
  return { id, what, ratio, reach, holds: verdict, floorName, ...measured };
}
