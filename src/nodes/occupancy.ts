/** One who is at work in a tree. */
export interface Stay {
  /** Whether nobody else was there at any time. */
  readonly isAlone: boolean;
  leave(): void;
}

class Visit implements Stay {
  isAlone = true;
  readonly #left: () => void;

  constructor(left: () => void) {
    this.#left = left;
  }

  leave(): void {
    this.#left();
  }
}

interface Tree {
  count: number;
  /** Who came to it while it was empty; whoever came later shared it from the start. */
  readonly first: Visit;
}

/** Who is at work in which tree. Coming and going cost the same however many are there. */
export class Occupancy {
  readonly #trees = new Map<string, Tree>();

  enter(cwd: string): Stay {
    const visit = new Visit(() => this.#leave(cwd));
    const tree = this.#trees.get(cwd);
    if (tree === undefined) {
      this.#trees.set(cwd, { count: 1, first: visit });
      return visit;
    }
    tree.count += 1;
    tree.first.isAlone = false;
    visit.isAlone = false;
    return visit;
  }

  #leave(cwd: string): void {
    const tree = this.#trees.get(cwd);
    if (tree === undefined) return;
    tree.count -= 1;
    if (tree.count === 0) this.#trees.delete(cwd);
  }
}
