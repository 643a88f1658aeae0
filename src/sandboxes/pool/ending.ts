import path from "node:path";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { messageOf } from "../../model/thrown.ts";
import type { RunFate, Sandbox, SandboxFault, SandboxVerdict } from "../../ports/sandbox.ts";
import { readOwner } from "../owner.ts";
import type { Boxes } from "./boxes.ts";
import type { Drivers } from "./drivers.ts";
import type { PoolParts } from "./parts.ts";
import { keepPatch } from "./patch.ts";
import type { BoxRecord } from "./record-shape.ts";

/** How boxes go: those of a run that ends, and those of engines that are gone. */
export class Ending {
  readonly #parts: PoolParts;
  readonly #drivers: Drivers;
  readonly #boxes: Boxes;

  constructor(parts: PoolParts, drivers: Drivers, boxes: Boxes) {
    this.#parts = parts;
    this.#drivers = drivers;
    this.#boxes = boxes;
  }

  async release(record: BoxRecord, fate: RunFate): Promise<readonly string[]> {
    try {
      return fate === "over" ? await this.#remove(record) : await this.#close(record, fate);
    } catch (error) {
      return [`the sandbox ${record.id} could not be ended: ${messageOf(error)}`];
    }
  }

  /** The record goes last: what could not be removed is tried again by a later engine. */
  async #remove(record: BoxRecord): Promise<readonly string[]> {
    const { id, checkouts } = record;
    const { signal } = new AbortController();
    const notes: string[] = [];
    const sandbox = await (this.#boxes.open(id) ??
      (checkouts.length > 0 ? this.#boxes.make(record, [], signal) : null));
    if (sandbox !== null) notes.push(...(await this.#keepPatches(record, sandbox)));
    this.#boxes.forget(id);
    if (sandbox !== null && !("fault" in sandbox)) await sandbox.destroy("remove");
    const fault = await this.#drivers.get(record.driver)?.discard(id);
    if (fault) return [...notes, fault.fault];
    await this.#boxes.unstage(id);
    await this.#boxes.records.remove(id);
    return notes;
  }

  async #close(record: BoxRecord, fate: Exclude<RunFate, "over">): Promise<readonly string[]> {
    const { id } = record;
    const sandbox = await this.#boxes.open(id);
    const notes: string[] = [];
    if (sandbox !== undefined) notes.push(...(await this.#keepPatches(record, sandbox)));
    this.#boxes.forget(id);
    if (sandbox !== undefined && !("fault" in sandbox)) {
      const fault = await sandbox.destroy("keep");
      if (fault !== null) notes.push(fault.fault);
    }
    await this.#boxes.unstage(id);
    if (fate === "resumable") return notes;
    await this.#boxes.change(id, (before) => ({ ...before, kept: true }));
    const driver = this.#drivers.get(record.driver);
    return [...notes, `kept: ${driver?.workspaceOf(id)}`, `enter it with: ${driver?.enterCommand(id, record.spec)}`];
  }

  async #keepPatches({ id, run, checkouts }: BoxRecord, sandbox: Sandbox | SandboxFault): Promise<readonly string[]> {
    if (checkouts.length === 0) return [];
    if ("fault" in sandbox) return [`what changed in ${id} was not kept: ${sandbox.fault}`];
    const notes: string[] = [];
    for (const checkout of checkouts) {
      const note = await keepPatch(
        sandbox,
        checkout,
        path.join(this.#parts.home, "artifacts", run),
        this.#parts.redactor,
      );
      if (note !== null) notes.push(note);
    }
    return notes;
  }

  /** Looks only at what an engine that is gone has left on record, so a machine without such costs nothing. */
  async sweep(): Promise<readonly string[]> {
    const { fateOf, isAlive } = this.#parts;
    const all = await this.#boxes.records.all();
    const left = all.filter(({ owner }) => !isAlive(readOwner(owner) ?? nobody));
    const notes: string[] = [];
    for (const record of left) {
      await this.#boxes.unstage(record.id, record.owner);
      if (record.kept !== true && fateOf(record.run) === "over") notes.push(...(await this.release(record, "over")));
    }
    const verdict = async (id: string, owner: ProcessIdentity | null): Promise<SandboxVerdict> => {
      // Not before: a box that another engine makes meanwhile is on record before any of it is there.
      const record = await this.#boxes.records.get(id);
      const holder = owner ?? (record === null ? null : readOwner(record.owner));
      if (holder !== null && isAlive(holder)) return "live";
      if (record === null) return "over";
      return record.kept === true ? "resumable" : fateOf(record.run);
    };
    for (const name of new Set(left.map(({ driver }) => driver))) {
      const removed = (await this.#drivers.get(name)?.sweep(verdict)) ?? [];
      notes.push(...removed.map((id) => `removed what was left of the sandbox ${id}`));
    }
    return notes;
  }
}

const nobody: ProcessIdentity = { pid: -1, startTime: "", bootId: "" };
