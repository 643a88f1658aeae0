import type { RouteItem, StepPattern } from "./file.ts";
import type { Step } from "./walk.ts";

/** One line of the two routes side by side; null where one of them has nothing there. */
export interface RouteRow {
  readonly expected: string | null;
  readonly actual: string | null;
}

/**
 * Where a run left the route that was expected: the lines up to there, which agree,
 * the first that differs, and what else was walked.
 */
export interface RouteDifference {
  readonly same: readonly RouteRow[];
  readonly differs: RouteRow;
  readonly rest: readonly RouteRow[];
}

interface Place {
  readonly item: number;
  readonly step: number;
  readonly before: { readonly place: Place; readonly rows: readonly RouteRow[] } | null;
}

/** Null where the steps are as expected. A gap takes as many steps as it has to. */
export function routeDifference(items: readonly RouteItem[], steps: readonly Step[]): RouteDifference | null {
  const open: Place[] = [{ item: 0, step: 0, before: null }];
  const seen = new Set<number>();
  let furthest = open[0];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const key = place.step * (items.length + 1) + place.item;
    if (seen.has(key)) continue;
    seen.add(key);
    if (
      furthest === undefined ||
      place.step > furthest.step ||
      (place.step === furthest.step && place.item > furthest.item)
    )
      furthest = place;
    if (place.item === items.length && place.step === steps.length) return null;
    open.push(...onwards(place, items, steps));
  }
  return furthest === undefined ? null : differenceAt(furthest, items, steps);
}

function onwards(place: Place, items: readonly RouteItem[], steps: readonly Step[]): readonly Place[] {
  const item = items[place.item];
  if (item === undefined) return [];
  const to = (taken: number, isDone: boolean, rows: readonly RouteRow[]): Place => ({
    item: place.item + (isDone ? 1 : 0),
    step: place.step + taken,
    before: { place, rows },
  });
  if (item.kind === "gap") {
    const skipped = steps[place.step];
    const one = skipped === undefined ? [] : [to(1, false, [{ expected: "…", actual: stepText(skipped) }])];
    return [...one, to(0, true, [])];
  }
  const patterns = item.steps.map(({ value }) => value);
  const found = steps.slice(place.step, place.step + patterns.length);
  const order = found.length === patterns.length ? inSomeOrder(patterns, found) : null;
  if (order === null) return [];
  const rows = found.map((step, index) => ({ expected: textOf(order[index]), actual: stepText(step) }));
  return [to(found.length, true, rows)];
}

/**
 * The pattern of each step, so that each takes one; null where there is no such
 * order. By augmenting paths (Kuhn): patterns may be alike.
 */
function inSomeOrder(patterns: readonly StepPattern[], steps: readonly Step[]): readonly StepPattern[] | null {
  const stepOf = new Map<number, number>();
  const takes = (index: number, step: Step | undefined): boolean => {
    const pattern = patterns[index];
    return pattern !== undefined && step !== undefined && fits(pattern, step);
  };
  const place = (step: number, tried: Set<number>): boolean => {
    const fitting = [...patterns.keys()].filter((index) => !tried.has(index) && takes(index, steps[step]));
    // One that is free spares the others their place.
    const free = fitting.find((index) => !stepOf.has(index));
    for (const index of free === undefined ? fitting : [free]) {
      if (tried.has(index)) continue;
      tried.add(index);
      const other = stepOf.get(index);
      if (other !== undefined && !place(other, tried)) continue;
      stepOf.set(index, step);
      return true;
    }
    return false;
  };
  if (!steps.every((_, step) => place(step, new Set()))) return null;
  const byStep = [...stepOf].toSorted(([, a], [, b]) => a - b);
  return byStep.flatMap(([index]) => patterns[index] ?? []);
}

function fits({ node, word }: StepPattern, step: Step): boolean {
  if (node !== step.node && node !== `${step.node}#${step.pass}`) return false;
  return word === undefined || word === step.outcome || word === step.option;
}

function differenceAt(place: Place, items: readonly RouteItem[], steps: readonly Step[]): RouteDifference {
  const same: RouteRow[] = [];
  for (let at = place.before; at !== null; at = at.place.before) same.unshift(...at.rows);
  const item = items[place.item];
  const step = steps[place.step];
  const expected = item === undefined ? "(end)" : itemText(item);
  const actual = step === undefined ? "(end)" : `${stepText(step)}${step.reason === null ? "" : `: ${step.reason}`}`;
  const rest = steps.slice(place.step + 1).map((one) => ({ expected: null, actual: stepText(one) }));
  return { same, differs: { expected, actual }, rest };
}

function itemText(item: RouteItem): string {
  if (item.kind === "gap") return "…";
  const texts = item.steps.map(({ value }) => textOf(value));
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function textOf(pattern: StepPattern | undefined): string {
  if (pattern === undefined) return "";
  return `${pattern.node}${pattern.word === undefined ? "" : ` ${pattern.word}`}`;
}

function stepText({ node, pass, outcome, option }: Step): string {
  return `${node}${pass > 1 ? `#${pass}` : ""} ${option ?? outcome}`;
}
