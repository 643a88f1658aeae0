/** Who is at work in which tree. */
export class Occupancy {
  readonly #trees = new Map<string, Set<() => void>>();
  readonly #shared = new WeakSet<() => void>();

  /** Answers how to leave, which also stands for the one who entered. */
  enter(cwd: string): () => void {
    const here = this.#trees.get(cwd) ?? new Set();
    this.#trees.set(cwd, here);
    const leave = (): void => {
      here.delete(leave);
      if (here.size === 0) this.#trees.delete(cwd);
    };
    here.add(leave);
    if (here.size > 1) for (const one of here) this.#shared.add(one);
    return leave;
  }

  /** Whether nobody else was there at any time. */
  isAlone(leave: () => void): boolean {
    return !this.#shared.has(leave);
  }
}
