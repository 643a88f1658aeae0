import type { Arrow } from "./graphs.ts";

type Pair = `${string}>${string}`;

interface Loop {
  readonly body: ReadonlySet<string>;
  readonly heads: ReadonlySet<string>;
}

/** A graph and its loop edges, found from their definition by plain searches. */
export class Graph {
  readonly order: readonly string[];
  readonly edges: readonly Arrow[];
  readonly entry: string;
  readonly after = new Map<string, Set<string>>();
  readonly before = new Map<string, Set<string>>();
  /** Loop edges and the loop each belongs to. */
  readonly back = new Map<Pair, Loop>();
  readonly loops: Loop[] = [];

  constructor(order: readonly string[], edges: readonly Arrow[], entry: string) {
    this.order = [...order].sort();
    this.edges = edges;
    this.entry = entry;
    for (const node of order) {
      this.after.set(node, new Set());
      this.before.set(node, new Set());
    }
    for (const [from, , to] of edges) {
      if (to === "END") continue;
      this.after.get(from)?.add(to);
      this.before.get(to)?.add(from);
    }
    this.#cut(new Set(this.order), new Set());
  }

  next(node: string): ReadonlySet<string> {
    return this.after.get(node) ?? new Set();
  }

  previous(node: string): ReadonlySet<string> {
    return this.before.get(node) ?? new Set();
  }

  /** Loop edges that start a new pass for this node. */
  own(node: string): ReadonlySet<Pair> {
    return new Set([...this.back].filter(([, loop]) => loop.body.has(node)).map(([pair]) => pair));
  }

  /** What a node leads to; itself only where a way leads back to it. */
  reach(from: readonly string[], cut: ReadonlySet<Pair> = new Set(), avoid?: string): Set<string> {
    const seen = new Set<string>();
    const open = [...from];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const next of this.next(node)) {
        if (seen.has(next) || next === avoid || cut.has(`${node}>${next}`)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  }

  #dominates(a: string, b: string): boolean {
    const reached = (avoid?: string): Set<string> => {
      if (this.entry === avoid) return new Set();
      return this.reach([this.entry], new Set(), avoid).add(this.entry);
    };
    return reached().has(b) && (a === b || !reached(a).has(b));
  }

  #isFailing(from: string, to: string): boolean {
    return this.edges.every(([f, when, t]) => f !== from || t !== to || when === "failure" || when === "error");
  }

  #cut(nodes: ReadonlySet<string>, cut: ReadonlySet<Pair>): void {
    const inside = (node: string): Set<string> =>
      new Set([...this.next(node)].filter((next) => nodes.has(next) && !cut.has(`${node}>${next}`)));
    const leadsTo = new Map([...nodes].map((node) => [node, closure(node, inside)] as const));
    const done = new Set<string>();
    for (const node of nodes) {
      if (done.has(node) || leadsTo.get(node)?.has(node) !== true) continue;
      const mates = [...(leadsTo.get(node) ?? [])].filter((mate) => leadsTo.get(mate)?.has(node) === true);
      for (const mate of mates) done.add(mate);
      this.#open(new Set(mates), cut);
    }
  }

  #open(component: ReadonlySet<string>, cut: ReadonlySet<Pair>): void {
    const inner = [...component].flatMap((from) =>
      [...this.next(from)]
        .filter((to) => component.has(to) && !cut.has(`${from}>${to}`))
        .map((to) => [from, to] as const),
    );
    const edges = this.#loopEdges(component, inner);
    const heads = new Set(edges.map(([, to]) => to));
    const loop = { heads, body: heads.size === 1 ? this.#natural(component, cut, edges) : component };
    this.loops.push(loop);
    for (const [from, to] of edges) this.back.set(`${from}>${to}`, loop);
    this.#cut(component, new Set([...cut, ...edges.map(([from, to]): Pair => `${from}>${to}`)]));
  }

  #loopEdges(component: ReadonlySet<string>, inner: readonly (readonly [string, string])[]) {
    const back = inner.filter(([from, to]) => this.#dominates(to, from));
    const heads = [...new Set(back.map(([, to]) => to))];
    const outer = heads.filter((head) => !heads.some((other) => other !== head && this.#dominates(other, head)));
    if (back.length > 0) return back.filter(([, to]) => outer.includes(to));
    const failing = inner.filter(([from, to]) => this.#isFailing(from, to));
    if (failing.length > 0) return failing;
    const entered = [...component].filter(
      (node) => node === this.entry || [...this.previous(node)].some((source) => !component.has(source)),
    );
    const targets = entered.length > 0 ? entered : [...component].sort().slice(0, 1);
    return inner.filter(([, to]) => targets.includes(to));
  }

  /** What gets back to the head without passing it. */
  #natural(component: ReadonlySet<string>, cut: ReadonlySet<Pair>, edges: readonly (readonly [string, string])[]) {
    const body = new Set(edges.slice(0, 1).map(([, head]) => head));
    const open = edges.map(([from]) => from);
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (body.has(node)) continue;
      body.add(node);
      for (const source of this.previous(node)) {
        if (component.has(source) && !cut.has(`${source}>${node}`)) open.push(source);
      }
    }
    return body;
  }
}

function closure(start: string, next: (node: string) => ReadonlySet<string>): Set<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const to of next(node)) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}
