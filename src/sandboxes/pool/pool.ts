import { limits } from "../../model/limits.ts";
import { boxId } from "./box-id.ts";
import { isImageOfThisMachine } from "../../model/sandbox.ts";
import { messageOf } from "../../model/thrown.ts";
import type {
  Checkout,
  ProvisionRequest,
  RunFate,
  SandboxFault,
  SandboxInUse,
  SandboxPool,
} from "../../ports/sandbox.ts";
import { ownerWord } from "../owner.ts";
import { Boxes, defined } from "./boxes.ts";
import { Drivers } from "./drivers.ts";
import { Ending } from "./ending.ts";
import { readMounts } from "./mounts.ts";
import type { PoolParts } from "./parts.ts";
import type { BoxRecord } from "./record-shape.ts";

/** See {@link SandboxPool}. */
export function createSandboxPool(parts: PoolParts): SandboxPool {
  return new Pool(parts);
}

class Pool implements SandboxPool {
  readonly #parts: PoolParts;
  readonly #drivers: Drivers;
  readonly #boxes: Boxes;
  readonly #ending: Ending;
  #swept: Promise<readonly string[]> | undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#drivers = new Drivers(parts, parts.driver);
    this.#boxes = new Boxes(parts, this.#drivers);
    this.#ending = new Ending(parts, this.#drivers, this.#boxes);
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
      if ((await this.#boxes.records.of(run)).length >= limits.sandboxesPerRun)
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
      const id = boxId(run, pass, node);
      // What an earlier attempt left is not what this one asked for.
      await driver.discard(id);
      const { network, memoryBytes, cpus, pids } = request;
      const spec = defined({ image, network, memoryBytes, cpus, pids, mounts: [...mounts] });
      const record: BoxRecord = {
        version: 1,
        id,
        run,
        node,
        owner: ownerWord(this.#parts.owner),
        driver: driver.name,
        spec,
        forward: [...forward],
        checkouts: [],
      };
      await this.#boxes.records.put(record);
      const notes: string[] = [];
      const made = await this.#boxes.make(record, notes, signal);
      if ("fault" in made) {
        await this.#boxes.records.remove(id);
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
    const record = await this.#boxes.records.get(id);
    if (record === null || (record.run !== run && !this.#parts.isInside(run, record.run)))
      return {
        fault: `there is no sandbox "${id}" in this run`,
        hint: 'Write container: "{NODE}" of a provision node.',
      };
    const sandbox = await (this.#boxes.open(id) ?? this.#boxes.make(record, [], signal));
    if ("fault" in sandbox) return sandbox;
    const set = record.forward.flatMap((name) => {
      const value = this.#parts.variable(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const { image, network } = record.spec;
    const hasNetwork = isImageOfThisMachine(image) ? network === "host" : network !== "none";
    return { sandbox, env: Object.fromEntries(set), hasNetwork, stage: () => this.#stage(id) };
  }

  async #stage(id: string): Promise<string | SandboxFault> {
    try {
      return await this.#boxes.stage(id);
    } catch (error) {
      return faultOf(error);
    }
  }

  async checkedOut(id: string, checkout: Checkout): Promise<null | SandboxFault> {
    try {
      const changed = await this.#boxes.change(id, (record) => ({
        ...record,
        checkouts: [...record.checkouts.filter(({ path }) => path !== checkout.path), checkout],
      }));
      return changed === null ? { fault: `there is no sandbox "${id}"`, hint: "Provision it first." } : null;
    } catch (error) {
      return faultOf(error);
    }
  }

  async release(run: string, fate: RunFate): Promise<readonly string[]> {
    const released = (await this.#boxes.records.of(run)).map((record) => this.#ending.release(record, fate));
    return (await Promise.all(released)).flat();
  }

  sweep(): Promise<readonly string[]> {
    this.#swept ??= this.#ending.sweep();
    return this.#swept;
  }
}

function networkProblem({ image, network }: ProvisionRequest): SandboxFault | null {
  if (network === undefined || network === "none" || network === "host") return null;
  if (!isImageOfThisMachine(image) && /^[A-Za-z0-9][\w.:-]*$/.test(network)) return null;
  return {
    fault: `network "${network}" is not known here`,
    hint: "Write none, host, or a network of the container engine.",
  };
}

function faultOf(error: unknown): SandboxFault {
  return {
    fault: messageOf(error),
    hint: "See that Trammel's data folder can be written to and has room.",
  };
}
