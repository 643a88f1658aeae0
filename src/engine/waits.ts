import type { Bits } from "../graph/bits.ts";
import { at } from "../graph/ints.ts";
import { limits } from "../model/limits.ts";

/**
 * What routing remembers so that an event costs only what it can change. For each node that waits it keeps one live
 * node that can still bring it something (its witness, as a watched literal in SAT solving) and looks again only when
 * that one is live no more. Derived: it never decides anything that the events do not.
 */
export class Waits {
  /** Nodes whose readiness may have changed. */
  readonly #dirty: number[] = [];
  readonly #isDirty: Uint8Array;
  /** Nodes that nothing live can bring more to, highest first. */
  readonly ready: number[] = [];
  readonly #isReady: Uint8Array;
  #sorted = true;
  /** By waiting node: its witness, and its neighbours in the list of those with the same one. */
  readonly #witness: Int32Array;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** By waiting node: what could bring it something when last searched; shrinks as arms turn out dead. */
  readonly zones = new Map<number, Bits>();
  readonly #stale: Uint8Array;
  /** By waiting node: the place in its incoming arcs up to which no source was live. */
  readonly cursor: Int32Array;

  constructor(size: number) {
    this.#isDirty = new Uint8Array(size);
    this.#isReady = new Uint8Array(size);
    this.#witness = new Int32Array(size).fill(-1);
    this.#first = new Int32Array(size).fill(-1);
    this.#next = new Int32Array(size).fill(-1);
    this.#previous = new Int32Array(size).fill(-1);
    this.#stale = new Uint8Array(size);
    this.cursor = new Int32Array(size);
  }

  mark(node: number): void {
    if (at(this.#isDirty, node) === 1) return;
    this.#isDirty[node] = 1;
    this.#dirty.push(node);
  }

  nextDirty(): number | undefined {
    const node = this.#dirty.pop();
    if (node !== undefined) this.#isDirty[node] = 0;
    return node;
  }

  witness(node: number): number {
    return at(this.#witness, node);
  }

  watch(node: number, witness: number): void {
    this.unwatch(node);
    const first = at(this.#first, witness);
    this.#witness[node] = witness;
    this.#next[node] = first;
    this.#previous[node] = -1;
    this.#first[witness] = node;
    if (first >= 0) this.#previous[first] = node;
  }

  unwatch(node: number): void {
    const witness = at(this.#witness, node);
    if (witness < 0) return;
    const next = at(this.#next, node);
    const previous = at(this.#previous, node);
    if (previous < 0) this.#first[witness] = next;
    else this.#next[previous] = next;
    if (next >= 0) this.#previous[next] = previous;
    this.#witness[node] = -1;
  }

  /** Marks all that wait for `witness`; their witness stays as a hint where to look next. */
  wake(witness: number): void {
    for (let node = at(this.#first, witness); node >= 0; node = at(this.#next, node)) this.mark(node);
  }

  isReady(node: number): boolean {
    return at(this.#isReady, node) === 1;
  }

  setReady(node: number, ready: boolean): void {
    if (this.isReady(node) === ready) return;
    this.#isReady[node] = ready ? 1 : 0;
    if (!ready) {
      this.ready.splice(this.ready.lastIndexOf(node), 1);
      return;
    }
    const last = this.ready.at(-1);
    if (last !== undefined && last < node) this.#sorted = false;
    this.ready.push(node);
  }

  sort(): void {
    if (!this.#sorted) this.ready.sort((a, b) => b - a);
    this.#sorted = true;
  }

  /** Keeps a zone; all of them go when they take more than `limits.reachCacheBytes`. */
  keepZone(node: number, zone: Bits): void {
    if ((this.zones.size + 1) * zone.byteLength > limits.reachCacheBytes) this.zones.clear();
    this.zones.set(node, zone);
    this.#stale[node] = 0;
  }

  /** An arm of `node` has filled: its zone may be too big now. */
  armFilled(node: number): void {
    this.#stale[node] = 1;
  }

  isStale(node: number): boolean {
    return at(this.#stale, node) === 1;
  }

  /** Forgets what was found out for a wait that is over or starts anew. */
  forget(node: number): void {
    this.unwatch(node);
    this.zones.delete(node);
    this.cursor[node] = 0;
  }
}
