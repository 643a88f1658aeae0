import { hash } from "node:crypto";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { AgentEvent } from "../../model/agent-event.ts";
import { limits } from "../../model/limits.ts";
import type { Reads } from "../../ports/reads.ts";
import { readPlainFile, realOf } from "../tree/plain-file.ts";
import { isInside } from "../tree/scan.ts";
import type { InScope } from "./scope.ts";

type Read = Extract<AgentEvent, { readonly type: "read" }>;

export interface TurnReadsParts {
  /** Absolute, links followed. */
  readonly root: string;
  /** Null where nothing limits what it reads. */
  readonly scope: InScope | null;
  /** Whether its files are ours to look at. */
  readonly boxed: boolean;
  readonly report: (event: Read) => void;
}

/**
 * The reads of one agent's turn, each file once in each state, at most
 * `limits.readsPerAttempt` and one that says there were more.
 */
export class TurnReads implements Reads {
  readonly #parts: TurnReadsParts;
  readonly #told = new Set<string>();
  readonly #made = new Set<string>();
  readonly #outside = new Set<string>();
  /** Each of them may start git. */
  #looks: Promise<void> = Promise.resolve();

  constructor(parts: TurnReadsParts) {
    this.#parts = parts;
  }

  get limited(): boolean {
    return this.#parts.scope !== null;
  }

  async among(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { scope } = this.#parts;
    if (scope === null || paths.length === 0) return new Set(paths);
    const within = await scope(paths.filter((path) => !isAbsolute(path)));
    return new Set(paths.filter((path) => within.has(path) || this.#made.has(path)));
  }

  gave(path: string, content: string): void {
    this.#tell({ type: "read", path, digest: hash("sha256", content, "hex"), how: "read" });
  }

  refused(path: string): string {
    this.#tell({ type: "read", path, digest: null, how: "refused" });
    return `${path} is not among what may be read here (context.read)`;
  }

  made(path: string): void {
    if (this.#made.size < limits.walkEntries) this.#made.add(path);
  }

  claimed(path: string): void {
    if (this.#told.size > limits.readsPerAttempt) return;
    this.#looks = this.#looks.then(() => this.#look(path));
  }

  /** Resolves when all that was claimed has been looked at; answers what was read outside of the scope. */
  async settled(): Promise<readonly string[]> {
    await this.#looks;
    return [...this.#outside].toSorted();
  }

  async #look(named: string): Promise<void> {
    const { root, boxed } = this.#parts;
    const file = boxed ? resolve(root, named) : (realOf(resolve(root, named)) ?? resolve(root, named));
    const path = isInside(root, file) ? relative(root, file).split(sep).join("/") : file;
    // Where nobody can tell, people are told of it.
    const within = await this.among([path]).then(
      (paths) => paths.has(path),
      () => false,
    );
    const bytes = boxed ? null : await readPlainFile(file, limits.snapshotFileBytes).catch(() => null);
    // A folder that it lists, or a path that it only thought of, is no read.
    if (bytes === null && !boxed) return;
    if (!within) this.#outside.add(path);
    const digest = bytes === null ? null : hash("sha256", bytes, "hex");
    this.#tell({ type: "read", path, digest, how: within ? "read" : "outside" });
  }

  #tell(read: Read): void {
    const key = `${read.how} ${read.digest} ${read.path}`;
    if (this.#told.has(key) || this.#told.size > limits.readsPerAttempt) return;
    this.#told.add(key);
    this.#parts.report(read);
  }
}
