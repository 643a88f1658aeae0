import { at, item } from "../graph/ints.ts";
import type { FirstPass, Way } from "./first-pass.ts";
import { mayBeLost } from "./races.ts";
import type { Answer, Hope, Search } from "./search.ts";

type Allowed = (way: Way) => boolean;

/** Whether in some run `node` starts while `missing` has not ended once. False is no claim. */
export function canStartWithout(search: Search, missing: number, node: number): boolean {
  if (search.plan.tooDeep !== null || !search.spend(3 * search.visits)) return false;
  const after = afterOf(search, missing);
  // What it does not lead to does not wait for it, but over loop edges it may.
  const waits = at(after, node) === 1 || search.plan.loops.length > 0;
  const avoids = waits ? doomedBy(search, missing, () => true) : new Uint8Array(after.length);
  return startsSomewhere(search, node, avoids, undefined) || startsEarly(search, missing, node, after);
}

/** Whether some run succeeds in which `missing` never starts. False is no claim. */
export function canSucceedWithout(search: Search, missing: number): boolean {
  const { plan, spend, visits } = search;
  if (plan.tooDeep !== null || !spend(visits)) return false;
  const doomed = doomedBy(search, missing, succeeds);
  if (at(doomed, plan.entry) === 1) return false;
  return (
    search.find(() => ({
      arrived: () => {},
      next: (_node, starts) => (starts() ? "ends" : "no"),
      remains: (_node, way) => succeeds(way) && !way.targets.some((target) => at(doomed, target) === 1),
      over: () => "yes",
    })) === "yes"
  );
}

/** A run succeeds when each failure in it is taken on by an edge that leads somewhere. */
function succeeds({ kind, targets, exit }: Way): boolean {
  if (kind === "failure" || kind === "error") return exit === "none" && targets.length > 0;
  return exit !== "failed";
}

/** Nodes from which every run leads to `node`, it included. */
function doomedBy({ plan, order, ways }: Search, node: number, allowed: Allowed): Uint8Array {
  const doomed = new Uint8Array(plan.graph.size);
  for (const each of order.toReversed()) {
    const isFree = ways
      .of(each)
      .some((way) => !way.repeats && allowed(way) && !way.targets.some((target) => at(doomed, target) === 1));
    if (each === node || !isFree) doomed[each] = 1;
  }
  return doomed;
}

/** What a node leads to in one pass. */
function afterOf({ plan, order, ways }: Search, node: number): Uint8Array {
  const after = new Uint8Array(plan.graph.size);
  for (const each of order) {
    if (each !== node && at(after, each) === 0) continue;
    for (const { targets } of ways.of(each)) for (const target of targets) after[target] = 1;
  }
  return after;
}

/** A join that starts with some of its arms does not wait for a node that lasts on another. */
function startsEarly(search: Search, lasting: number, node: number, after: Uint8Array): boolean {
  const { plan } = search;
  const races = plan.nodes.some(({ join }) => join !== undefined && join !== "live");
  if (!races || plan.loops.length > 0 || at(after, node) === 0) return false;
  const waiting = after.map((isAfter, each) => (isAfter === 1 && enoughFor(search, each) === Infinity ? 1 : 0));
  waiting[lasting] = 1;
  return startsSomewhere(search, node, waiting, after);
}

function enoughFor({ plan }: Search, node: number): number {
  const { join } = item(plan.nodes, node);
  if (join === "any") return 1;
  return typeof join === "number" ? join : Infinity;
}

/**
 * Whether a run starts `node` on ways that keep clear of `closed` nodes. Without `after` nothing closed may start in
 * it; else what is closed waits or lasts, and joins in `after` start only when enough has come.
 */
function startsSomewhere(search: Search, node: number, closed: Uint8Array, after: Uint8Array | undefined): boolean {
  const { plan, order, ways } = search;
  const leads = new Uint8Array(plan.graph.size);
  const open = (way: Way): boolean => after !== undefined || !way.targets.some((target) => at(closed, target) === 1);
  for (const each of order.toReversed()) {
    if (at(closed, each) === 1) continue;
    const reaches = ways.of(each).some((way) => open(way) && way.targets.some((target) => at(leads, target) === 1));
    if (each === node || reaches) leads[each] = 1;
  }
  if (at(leads, plan.entry) === 0) return false;
  return search.find((pass) => new Start(search, pass, { node, closed, leads, open, after })) === "yes";
}

interface Aim {
  readonly node: number;
  readonly closed: Uint8Array;
  /** Nodes that lead to the one on open ways. */
  readonly leads: Uint8Array;
  readonly open: Allowed;
  readonly after: Uint8Array | undefined;
}

class Start implements Hope {
  readonly #search: Search;
  readonly #pass: FirstPass;
  readonly #aim: Aim;
  #leading = 0;

  constructor(search: Search, pass: FirstPass, aim: Aim) {
    this.#search = search;
    this.#pass = pass;
    this.#aim = aim;
  }

  arrived(node: number): void {
    this.#leading += at(this.#aim.leads, node);
  }

  next(node: number, starts: () => boolean): "ends" | "skipped" | "lasts" | Answer {
    const { closed, after, leads } = this.#aim;
    this.#leading -= at(leads, node);
    if (after !== undefined) {
      const waits = at(after, node) === 1 && this.#pass.arrivalsAt(node) < enoughFor(this.#search, node);
      if (at(closed, node) === 1 || waits) return "lasts";
    }
    if (node !== this.#aim.node) return starts() ? "ends" : "skipped";
    if (!starts()) return "no";
    return mayBeLost(this.#search, this.#pass, node, node) ? "unknown" : "yes";
  }

  remains(_node: number, way: Way): boolean {
    return (
      this.#aim.open(way) && (this.#leading > 0 || way.targets.some((target) => at(this.#aim.leads, target) === 1))
    );
  }

  over(): Answer {
    return "no";
  }
}
