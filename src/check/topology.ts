import type { Blueprint, Edge } from "../model/blueprint.ts";
import { END } from "../model/blueprint.ts";

/** A blueprint's graph by node index, for rules. Every step is linear in nodes and edges. */
export class Topology {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Outgoing edges of each node, END included. */
  readonly outgoing: readonly (readonly Edge[])[];
  /** Targets of each node, END and unknown names left out. */
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  /** From the entry (and `finally`), whether a path leads to each node. */
  readonly reachable: readonly boolean[];
  /** Strongly connected component of each node. */
  readonly component: readonly number[];

  constructor(blueprint: Blueprint, ids: Iterable<string>) {
    this.ids = [...ids];
    this.indexOf = new Map(this.ids.map((id, index) => [id, index]));
    const outgoing: Edge[][] = this.ids.map(() => []);
    const successors: number[][] = this.ids.map(() => []);
    const predecessors: number[][] = this.ids.map(() => []);
    for (const edge of blueprint.edges) {
      const from = this.indexOf.get(edge.from);
      if (from === undefined) continue;
      outgoing[from]?.push(edge);
      const to = edge.to === END ? undefined : this.indexOf.get(edge.to);
      if (to === undefined) continue;
      successors[from]?.push(to);
      predecessors[to]?.push(from);
    }
    this.outgoing = outgoing;
    this.successors = successors;
    this.predecessors = predecessors;
    const roots = [blueprint.entry, blueprint.finally].flatMap((id) =>
      id === undefined ? [] : (this.indexOf.get(id) ?? []),
    );
    this.reachable = closure(roots, successors);
    this.component = components(successors);
  }

  /** Which nodes a path leads to from any of these, they included. */
  from(indices: readonly number[]): readonly boolean[] {
    return closure(indices, this.successors);
  }

  /** Which nodes lead to any of these, they included. */
  into(indices: readonly number[]): readonly boolean[] {
    return closure(indices, this.predecessors);
  }

  /** Loops: components with a path from a node to itself, each as its nodes. */
  loops(): readonly (readonly number[])[] {
    const byComponent = new Map<number, number[]>();
    for (const [index, component] of this.component.entries()) {
      const members = byComponent.get(component);
      if (members === undefined) byComponent.set(component, [index]);
      else members.push(index);
    }
    return [...byComponent.values()].filter((nodes) => {
      const [only] = nodes;
      return nodes.length > 1 || (only !== undefined && this.successors[only]?.includes(only) === true);
    });
  }
}

function closure(start: readonly number[], next: readonly (readonly number[])[]): boolean[] {
  const seen = next.map(() => false);
  const open = [...start];
  for (const index of open) seen[index] = true;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next[at] ?? []) {
      if (seen[to] === true) continue;
      seen[to] = true;
      open.push(to);
    }
  }
  return seen;
}

/** Tarjan's algorithm with its own stack, so that a long chain cannot overflow the call stack. */
function components(successors: readonly (readonly number[])[]): number[] {
  const component = successors.map(() => -1);
  const order = successors.map(() => -1);
  const low = successors.map(() => 0);
  const stack: number[] = [];
  let counter = 0;
  let found = 0;
  const visit = (root: number): void => {
    const work: { readonly node: number; next: number }[] = [{ node: root, next: 0 }];
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const { node } = frame;
      if (frame.next === 0) {
        order[node] = low[node] = counter;
        counter += 1;
        stack.push(node);
      }
      const to = successors[node]?.[frame.next];
      frame.next += 1;
      if (to !== undefined) {
        if (order[to] === -1) work.push({ node: to, next: 0 });
        else if (component[to] === -1) low[node] = Math.min(low[node] ?? 0, order[to] ?? 0);
        continue;
      }
      if (low[node] === order[node]) {
        for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
          component[member] = found;
          if (member === node) break;
        }
        found += 1;
      }
      work.pop();
      const parent = work.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
    }
  };
  for (let node = 0; node < successors.length; node += 1) if (order[node] === -1) visit(node);
  return component;
}
