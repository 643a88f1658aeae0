import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import type { Sandbox, SandboxFault } from "../../ports/sandbox.ts";
import { ownerWord } from "../owner.ts";
import { sandboxFolder } from "../parts.ts";
import type { Drivers } from "./drivers.ts";
import { watched } from "./lost.ts";
import type { PoolParts } from "./parts.ts";
import type { BoxRecord } from "./record-shape.ts";
import { BoxRecords } from "./records.ts";

type Change = (record: BoxRecord) => BoxRecord;

/** Boxes that are open in this process, and the records of all. */
export class Boxes {
  readonly records: BoxRecords;
  readonly #drivers: Drivers;
  readonly #staged: string;
  readonly #owner: PoolParts["owner"];
  readonly #open = new Map<string, Promise<Sandbox | SandboxFault>>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(parts: PoolParts, drivers: Drivers) {
    this.records = new BoxRecords(sandboxFolder(parts));
    this.#staged = path.join(sandboxFolder(parts), "staged");
    this.#drivers = drivers;
    this.#owner = parts.owner;
  }

  /** The open box of that record, if there is one. */
  open(id: string): Promise<Sandbox | SandboxFault> | undefined {
    return this.#open.get(id);
  }

  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Opens a box, made anew where it has to be. Sentences a user should know go to `notes`. */
  make(record: BoxRecord, notes: string[], signal: AbortSignal): Promise<Sandbox | SandboxFault> {
    const making = this.#create(record, notes, signal);
    this.#open.set(record.id, making);
    making.then(
      (made) => {
        if ("fault" in made) this.#open.delete(record.id);
      },
      () => this.#open.delete(record.id),
    );
    return making;
  }

  /** A new folder for what is to be copied into a box. */
  async stage(id: string): Promise<string> {
    const folder = this.#stagedBy(id, ownerWord(this.#owner));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return mkdtemp(path.join(folder, "/"));
  }

  /**
   * Removes what was to be copied into a box; given an owner, only what that one made: another may have taken the box
   * over since.
   */
  async unstage(id: string, owner?: string): Promise<void> {
    const all = path.join(this.#staged, id);
    if (owner === undefined) return rm(all, { recursive: true, force: true });
    await rm(this.#stagedBy(id, owner), { recursive: true, force: true });
    // Fails where another's are in it, or where there is none.
    await rmdir(all).catch(() => undefined);
  }

  #stagedBy(id: string, owner: string): string {
    return path.join(this.#staged, id, owner.replaceAll("/", "."));
  }

  /**
   * One change after the other: two nodes may check out into the same box at once. Null where there is no such record.
   */
  change(id: string, change: Change): Promise<BoxRecord | null> {
    const changed = this.#writing.then(() => this.#change(id, change));
    this.#writing = changed.catch(() => null);
    return changed;
  }

  async #change(id: string, change: Change): Promise<BoxRecord | null> {
    const record = await this.records.get(id);
    if (record === null) return null;
    const next = change(record);
    await this.records.put(next);
    return next;
  }

  async #create(record: BoxRecord, notes: string[], signal: AbortSignal): Promise<Sandbox | SandboxFault> {
    const { id, driver: name, spec } = record;
    const driver = this.#drivers.get(name);
    if (driver === null) return { fault: `there is no sandbox driver ${name}`, hint: "Start the run again." };
    const owner = ownerWord(this.#owner);
    if (record.owner !== owner) await this.unstage(id, record.owner);
    await this.change(id, (before) => ({ ...before, owner }));
    const made = await driver.create({ id, owner: this.#owner, ...defined(spec) }, signal);
    if ("fault" in made) return made;
    notes.push(...made.notes);
    // The next command gets a new box around the same workspace.
    return watched(made.sandbox, () => this.forget(id));
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the keys that are not set: absent and undefined are not the same. */
export function defined<T extends object>(value: T): Defined<T> {
  // The entries that are left are exactly those of the type.
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
