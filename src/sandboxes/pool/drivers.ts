import { existsSync } from "node:fs";
import path from "node:path";
import { isImageOfThisMachine } from "../../model/sandbox.ts";
import type { SandboxDriver, SandboxFault } from "../../ports/sandbox.ts";
import { bubblewrapDriver } from "../bubblewrap/driver.ts";
import { containerDriver } from "../container/driver.ts";
import type { DriverParts } from "../parts.ts";

export type DriverName = "bubblewrap" | "docker" | "podman";

const programs: Readonly<Record<DriverName, string>> = { bubblewrap: "bwrap", docker: "docker", podman: "podman" };
const engines = ["docker", "podman"] as const;

/** The drivers, made when first wanted, and which of them an image goes to. */
export class Drivers {
  readonly #parts: DriverParts;
  readonly #chosen: DriverName | undefined;
  readonly #made = new Map<string, SandboxDriver>();

  /** `chosen` is the configured one; it decides for images that have to come from an engine. */
  constructor(parts: DriverParts, chosen: DriverName | undefined) {
    this.#parts = parts;
    this.#chosen = chosen;
  }

  /** Null for a name that is no driver. */
  get(name: string): SandboxDriver | null {
    const made = this.#made.get(name) ?? this.#make(name);
    if (made !== null) this.#made.set(name, made);
    return made;
  }

  /** Those whose program is installed. */
  present(): readonly SandboxDriver[] {
    const names: readonly DriverName[] = ["bubblewrap", ...engines];
    return names.filter((name) => this.#isThere(name)).flatMap((name) => this.get(name) ?? []);
  }

  /** A quick look: is the program there? */
  missing(image: string): string | null {
    const candidates = this.#candidates(image);
    if (candidates.length === 0) return `image "${image}" needs a container engine, and sandbox.driver is bubblewrap`;
    if (candidates.some((name) => this.#isThere(name))) return null;
    const what = candidates.map((name) => programs[name]).join(" or ");
    return isImageOfThisMachine(image)
      ? `bubblewrap is not installed (${what} is not on PATH)`
      : `no container engine is installed (${what} is not on PATH)`;
  }

  /** The first that works now. */
  async pick(image: string): Promise<SandboxDriver | SandboxFault> {
    const missing = this.missing(image);
    if (missing !== null) return { fault: missing, hint: "Install it, or use `image: host` with bubblewrap." };
    const present = this.#candidates(image).filter((name) => this.#isThere(name));
    let why: SandboxFault = { fault: "", hint: "" };
    for (const name of present) {
      const driver = this.get(name);
      if (driver === null) continue;
      if (present.length === 1) return driver;
      const checked = await driver.check();
      if (!("fault" in checked)) return driver;
      why = checked;
    }
    return why;
  }

  async check(name: DriverName): Promise<DriverHealth> {
    const driver = this.#isThere(name) ? this.get(name) : null;
    if (driver !== null) return { driver: name, status: await driver.check() };
    const fault = `${programs[name]} is not on the PATH`;
    return { driver: name, status: { fault, hint: `Install ${name} to run nodes in its sandboxes.` } };
  }

  #candidates(image: string): readonly DriverName[] {
    if (isImageOfThisMachine(image)) return ["bubblewrap"];
    if (this.#chosen === undefined) return engines;
    return this.#chosen === "bubblewrap" ? [] : [this.#chosen];
  }

  #make(name: string): SandboxDriver | null {
    if (name === "bubblewrap") return bubblewrapDriver(this.#parts);
    return name === "docker" || name === "podman" ? containerDriver(name, this.#parts) : null;
  }

  #isThere(name: DriverName): boolean {
    const folders = (this.#parts.env["PATH"] ?? "").split(path.delimiter);
    return folders.some((folder) => existsSync(path.join(folder, programs[name])));
  }
}

export interface DriverHealth {
  readonly driver: DriverName;
  readonly status: { readonly works: string } | SandboxFault;
}

/** Asks every driver whether it works here. */
export function checkDrivers(parts: DriverParts): Promise<readonly DriverHealth[]> {
  const drivers = new Drivers(parts, undefined);
  return Promise.all((["bubblewrap", ...engines] as const).map((name) => drivers.check(name)));
}
