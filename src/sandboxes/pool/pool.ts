import path from "node:path";
import type { ProcessIdentity } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type {
  Checkout,
  ProvisionRequest,
  RunFate,
  Sandbox,
  SandboxFault,
  SandboxInUse,
  SandboxPool,
  SandboxVerdict,
} from "../../ports/sandbox.ts";
import type { DriverParts } from "../parts.ts";
import { type DriverName, Drivers, isForBubblewrap } from "./drivers.ts";
import { watched } from "./lost.ts";
import { readMounts } from "./mounts.ts";
import { keepPatch } from "./patch.ts";
import type { BoxRecord } from "./record-shape.ts";
import { BoxRecords } from "./records.ts";

export interface PoolParts extends DriverParts {
  readonly blobs: BlobStore;
  /** Absolute folder of all state, which no box may see. */
  readonly home: string;
  /** The configured driver of images that come from an engine. */
  readonly driver?: DriverName;
  readonly owner: ProcessIdentity;
  readonly isAlive: (owner: ProcessIdentity) => boolean;
  /** What is to become of the boxes of a run. */
  readonly fateOf: (run: string) => SandboxVerdict;
  /** Value of a variable to forward, masked from then on wherever it shows; undefined where it is not set. */
  readonly variable: (name: string) => string | undefined;
}

/** See {@link SandboxPool}. */
export function createSandboxPool(parts: PoolParts): SandboxPool {
  return new Pool(parts);
}

class Pool implements SandboxPool {
  readonly #parts: PoolParts;
  readonly #drivers: Drivers;
  readonly #records: BoxRecords;
  readonly #open = new Map<string, Promise<Sandbox | SandboxFault>>();
  #swept: Promise<readonly string[]> | undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#drivers = new Drivers(parts, parts.driver);
    this.#records = new BoxRecords(parts.folder);
  }

  missing(image: string): string | null {
    return this.#drivers.missing(image);
  }

  async provision(
    request: ProvisionRequest,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly notes: readonly string[] } | SandboxFault> {
    try {
      await this.sweep();
      const { run, node, pass, image, forward } = request;
      if ((await this.#records.of(run)).length >= limits.sandboxesPerRun)
        return {
          fault: `the run has ${limits.sandboxesPerRun} sandboxes already`,
          hint: "Provision outside of a loop.",
        };
      const mounts = readMounts(request.mounts, request.cwd, this.#parts.home);
      if ("fault" in mounts) return mounts;
      const driver = await this.#drivers.pick(image);
      if ("fault" in driver) return driver;
      const problem = networkProblem(request);
      if (problem !== null) return problem;
      const id = `trammel-${run}-${pass}-${node}`.slice(0, limits.sandboxIdCharacters);
      // What an earlier attempt left is not what this one asked for.
      await driver.discard(id);
      const { network, memoryBytes, cpus, pids } = request;
      const spec = defined({ image, network, memoryBytes, cpus, pids, mounts: [...mounts] });
      const record: BoxRecord = {
        version: 1,
        id,
        run,
        node,
        driver: driver.name,
        spec,
        forward: [...forward],
        checkouts: [],
      };
      await this.#records.put(record);
      const notes: string[] = [];
      const made = await this.#make(record, notes, signal);
      if ("fault" in made) {
        await this.#records.remove(id);
        return made;
      }
      const unset = forward.filter((name) => this.#parts.variable(name) === undefined);
      if (unset.length > 0) notes.push(`not set, so not forwarded: ${unset.join(", ")}`);
      return { id, notes };
    } catch (error) {
      return faultOf(error);
    }
  }

  async find(run: string, id: string, signal: AbortSignal): Promise<SandboxInUse | SandboxFault> {
    const record = await this.#records.get(id);
    if (record === null || record.run !== run)
      return {
        fault: `there is no sandbox "${id}" in this run`,
        hint: 'Write container: "{NODE}" of a provision node.',
      };
    const sandbox = await (this.#open.get(id) ?? this.#make(record, [], signal));
    if ("fault" in sandbox) return sandbox;
    const set = record.forward.flatMap((name) => {
      const value = this.#parts.variable(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const { image, network } = record.spec;
    const hasNetwork = isForBubblewrap(image) ? network === "host" : network !== "none";
    return { sandbox, env: Object.fromEntries(set), hasNetwork };
  }

  async checkedOut(id: string, checkout: Checkout): Promise<null | SandboxFault> {
    const record = await this.#records.get(id);
    if (record === null) return { fault: `there is no sandbox "${id}"`, hint: "Provision it first." };
    const others = record.checkouts.filter(({ path: where }) => where !== checkout.path);
    try {
      await this.#records.put({ ...record, checkouts: [...others, checkout] });
      return null;
    } catch (error) {
      return faultOf(error);
    }
  }

  async release(run: string, fate: RunFate): Promise<readonly string[]> {
    const released = (await this.#records.of(run)).map((record) => this.#release(record, fate));
    return (await Promise.all(released)).flat();
  }

  sweep(): Promise<readonly string[]> {
    this.#swept ??= this.#sweep();
    return this.#swept;
  }

  async #sweep(): Promise<readonly string[]> {
    const { fateOf, isAlive } = this.#parts;
    const notes: string[] = [];
    const records = new Map((await this.#records.all()).map((record) => [record.id, record]));
    for (const record of records.values())
      if (fateOf(record.run) === "over") notes.push(...(await this.#release(record, "over")));
    const verdict = (id: string, owner: ProcessIdentity | null): SandboxVerdict => {
      if (owner !== null && isAlive(owner)) return "live";
      const record = records.get(id);
      return record === undefined ? "over" : fateOf(record.run);
    };
    const removed = await Promise.all(this.#drivers.present().map((driver) => driver.sweep(verdict)));
    return [...notes, ...removed.flat().map((id) => `removed what was left of the sandbox ${id}`)];
  }

  #make(record: BoxRecord, notes: string[], signal: AbortSignal): Promise<Sandbox | SandboxFault> {
    const making = this.#create(record, notes, signal);
    this.#open.set(record.id, making);
    void making.then((made) => {
      if ("fault" in made) this.#open.delete(record.id);
    });
    return making;
  }

  async #create(record: BoxRecord, notes: string[], signal: AbortSignal): Promise<Sandbox | SandboxFault> {
    const driver = this.#drivers.get(record.driver);
    if (driver === null) return { fault: `there is no sandbox driver ${record.driver}`, hint: "Start the run again." };
    const made = await driver.create({ id: record.id, owner: this.#parts.owner, ...defined(record.spec) }, signal);
    if ("fault" in made) return made;
    notes.push(...made.notes);
    // The next command gets a new box around the same workspace.
    return watched(made.sandbox, () => void this.#open.delete(record.id));
  }

  async #release(record: BoxRecord, fate: RunFate): Promise<readonly string[]> {
    const { id, run, checkouts } = record;
    const notes: string[] = [];
    try {
      const { signal } = new AbortController();
      const isWanted = fate === "over" && checkouts.length > 0;
      const sandbox = await (this.#open.get(id) ?? (isWanted ? this.#make(record, [], signal) : undefined));
      if (sandbox !== undefined && "fault" in sandbox) notes.push(`no changes were kept of ${id}: ${sandbox.fault}`);
      if (sandbox !== undefined && !("fault" in sandbox)) {
        const folder = path.join(this.#parts.home, "artifacts", run);
        for (const checkout of checkouts)
          notes.push(...orNothing(await keepPatch(sandbox, checkout, folder, this.#parts.blobs)));
        notes.push(...orNothing((await sandbox.destroy(fate === "over" ? "remove" : "keep"))?.fault ?? null));
      }
      this.#open.delete(id);
      if (fate === "resumable") return notes;
      notes.push(...orNothing((await this.#drivers.get(record.driver)?.discard(id))?.fault ?? null));
      await this.#records.remove(id);
    } catch (error) {
      notes.push(faultOf(error).fault);
    }
    return notes;
  }
}

function networkProblem({ image, network }: ProvisionRequest): SandboxFault | null {
  if (network === undefined || network === "none" || network === "host") return null;
  if (!isForBubblewrap(image) && /^[A-Za-z0-9][\w.:-]*$/.test(network)) return null;
  return {
    fault: `network "${network}" is not known here`,
    hint: "Write none, host, or a network of the container engine.",
  };
}

function orNothing(note: string | null): readonly string[] {
  return note === null ? [] : [note];
}

function faultOf(error: unknown): SandboxFault {
  return {
    fault: error instanceof Error ? error.message : String(error),
    hint: "See that Trammel's data folder can be written to and has room.",
  };
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the keys that are not set: absent and undefined are not the same. */
function defined<T extends object>(value: T): Defined<T> {
  // The entries that are left are exactly those of the type.
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
