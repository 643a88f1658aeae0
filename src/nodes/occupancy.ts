/** One who is at work in a tree. */
export interface Stay {
  /** Whether nobody else was there at any time. */
  readonly isAlone: boolean;
  leave(): void;
}

interface Tree {
  readonly cwd: string;
  count: number;
  /** Who came to it while it was empty; whoever came later shared it from the start. */
  first: Visit | null;
}

class Visit implements Stay {
  isAlone = true;
  readonly #trees: Occupancy;
  readonly #tree: Tree;

  constructor(trees: Occupancy, tree: Tree) {
    this.#trees = trees;
    this.#tree = tree;
  }

  leave(): void {
    this.#trees.leave(this.#tree);
  }
}

/** Who is at work in which tree. Coming and going cost the same however many are there. */
export class Occupancy {
  readonly #trees = new Map<string, Tree>();
  /** Kept though it be empty: who comes next most often comes to the same. */
  #latest: Tree | undefined;

  enter(cwd: string): Stay {
    const tree = this.#latest?.cwd === cwd ? this.#latest : this.#treeOf(cwd);
    const visit = new Visit(this, tree);
    tree.count += 1;
    if (tree.count === 1) {
      tree.first = visit;
      return visit;
    }
    if (tree.first !== null) tree.first.isAlone = false;
    visit.isAlone = false;
    return visit;
  }

  #treeOf(cwd: string): Tree {
    const before = this.#latest;
    if (before?.count === 0) this.#trees.delete(before.cwd);
    const tree = this.#trees.get(cwd) ?? { cwd, count: 0, first: null };
    this.#trees.set(cwd, tree);
    this.#latest = tree;
    return tree;
  }

  /** Called by a visit to it, once. */
  leave(tree: Tree): void {
    tree.count -= 1;
    if (tree.count === 0 && tree !== this.#latest) this.#trees.delete(tree.cwd);
  }
}
