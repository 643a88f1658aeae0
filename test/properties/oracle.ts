import type { Graph } from "./oracle-graph.ts";

/**
 * The join rule, told as plainly as possible and as slowly: sets and searches, no indices, nothing kept between two
 * looks. Written from the rule and not from the engine, so that the two can disagree.
 */
export interface Told {
  readonly counts: Readonly<Record<string, number>>;
  readonly mostAtOnce: number;
  readonly skipped: readonly string[];
  /** Starts that only the rule of last resort allowed. */
  readonly ties: number;
  /** Whether it was stopped at `maxStarts`. */
  readonly cut: boolean;
}

export interface Stream {
  outcome(node: string, pass: number): string;
  ticks(node: string, pass: number): number;
}

export function tell(graph: Graph, stream: Stream, maxStarts: number): Told {
  return new Telling(graph, stream, maxStarts).tell();
}

class Telling {
  readonly #graph: Graph;
  readonly #stream: Stream;
  readonly #maxStarts: number;
  readonly #running = new Map<string, { readonly at: number; readonly order: number; readonly outcome: string }>();
  /** Arrivals by target, then source. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Targets of arrivals over loop edges. */
  readonly #fresh = new Set<string>();
  readonly #last = new Map<string, string>();
  readonly #counts: Record<string, number> = {};
  readonly #skipped: string[] = [];
  #ties = 0;
  #starts = 0;
  #mostAtOnce = 0;
  #now = 0;

  constructor(graph: Graph, stream: Stream, maxStarts: number) {
    this.#graph = graph;
    this.#stream = stream;
    this.#maxStarts = maxStarts;
  }

  tell(): Told {
    this.#waiting.set(this.#graph.entry, new Set(["(start)"]));
    for (;;) {
      for (let node = this.#due(); node !== undefined; node = this.#due()) {
        if (!this.#begin(node)) return this.#told(true);
      }
      if (this.#running.size === 0) return this.#told(false);
      this.#endNext();
    }
  }

  #told(cut: boolean): Told {
    return { counts: this.#counts, mostAtOnce: this.#mostAtOnce, skipped: this.#skipped, ties: this.#ties, cut };
  }

  #can(node: string): boolean {
    if (this.#running.has(node)) return false;
    const live = [...this.#running.keys(), ...this.#waiting.keys()].filter((other) => other !== node);
    const arms = [...this.#graph.previous(node)].filter((source) => !this.#graph.back.has(`${source}>${node}`));
    const empty = arms.filter((source) => this.#waiting.get(node)?.has(source) !== true);
    const own = this.#graph.own(node);
    return !live.some((other) => {
      const reached = this.#graph.reach([other], own, node).add(other);
      return empty.some((source) => reached.has(source));
    });
  }

  #after(head: string): Set<string> {
    return this.#graph.reach([head], this.#graph.own(head));
  }

  #due(): string | undefined {
    const able = [...this.#waiting.keys()].sort().filter((node) => this.#can(node));
    const due = able.find((node) => !this.#isHeld(node, able));
    if (due !== undefined || this.#running.size > 0) return due;
    const first = able[0] ?? [...this.#waiting.keys()].sort()[0];
    if (first !== undefined) this.#ties += 1;
    return first;
  }

  #isHeld(node: string, able: readonly string[]): boolean {
    if (!this.#fresh.has(node)) return false;
    const after = this.#after(node);
    after.delete(node);
    if ([...this.#running.keys()].some((other) => after.has(other))) return true;
    return able.some((other) => after.has(other) && !(this.#fresh.has(other) && this.#after(other).has(node)));
  }

  /** False where the limit of starts is reached. */
  #begin(node: string): boolean {
    const arrivals = this.#waiting.get(node) ?? new Set();
    this.#waiting.delete(node);
    if (this.#fresh.delete(node)) this.#dropOldPass(node);
    const arms = [...this.#graph.previous(node)].filter((source) => !this.#graph.back.has(`${source}>${node}`));
    const broken = [...this.#last.keys()].some((other) => !arrivals.has(other) && this.#needs(node, other));
    if (broken && arrivals.size < arms.length) {
      this.#skipped.push(node);
      this.#last.set(node, "failure");
      return true;
    }
    if (this.#starts >= this.#maxStarts) return false;
    this.#starts += 1;
    const pass = (this.#counts[node] ?? 0) + 1;
    this.#counts[node] = pass;
    this.#running.set(node, {
      at: this.#now + this.#stream.ticks(node, pass),
      order: this.#starts,
      outcome: this.#stream.outcome(node, pass),
    });
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#running.size);
    return true;
  }

  #dropOldPass(head: string): void {
    const old = this.#after(head).add(head);
    for (const [target, arrivals] of this.#waiting) {
      for (const source of arrivals) {
        if (old.has(source) && !this.#graph.back.has(`${source}>${target}`)) arrivals.delete(source);
      }
      if (arrivals.size > 0) continue;
      this.#waiting.delete(target);
      this.#fresh.delete(target);
    }
    for (const node of old) this.#last.delete(node);
  }

  #needs(node: string, other: string): boolean {
    const outcome = this.#last.get(other);
    if (other === node || outcome === undefined || outcome === "success") return false;
    const reachable = (how: string): boolean => {
      const targets = this.#targets(other, how).filter((to) => to !== "END");
      return targets.includes(node) || this.#graph.reach(targets, this.#graph.own(node)).has(node);
    };
    return reachable("success") && !reachable(outcome);
  }

  /** An unconditional edge carries success and failure, never an error. */
  #targets(node: string, outcome: string): string[] {
    return this.#graph.edges
      .filter(([from, when]) => from === node && (when === outcome || (when === null && outcome !== "error")))
      .map(([, , to]) => to);
  }

  #endNext(): void {
    const [node, ended] = [...this.#running].reduce((a, b) =>
      b[1].at < a[1].at || (b[1].at === a[1].at && b[1].order < a[1].order) ? b : a,
    );
    this.#running.delete(node);
    this.#now = ended.at;
    this.#last.set(node, ended.outcome);
    for (const to of this.#targets(node, ended.outcome)) {
      if (to === "END") continue;
      const arrivals = this.#waiting.get(to) ?? new Set();
      this.#waiting.set(to, arrivals.add(node));
      if (this.#graph.back.has(`${node}>${to}`)) this.#fresh.add(to);
    }
  }
}
