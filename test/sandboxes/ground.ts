import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import type {
  Sandbox,
  SandboxCommand,
  SandboxDriver,
  SandboxExec,
  SandboxResult,
  SandboxSpec,
} from "../../src/ports/sandbox.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { self } from "../../src/runtime/processes/identity.ts";
import { startLive } from "../../src/runtime/processes/live.ts";
import { createProcessRunner } from "../../src/runtime/processes/runner.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { bubblewrapDriver } from "../../src/sandboxes/bubblewrap/driver.ts";
import { containerDriver } from "../../src/sandboxes/container/driver.ts";
import type { DriverParts } from "../../src/sandboxes/parts.ts";

/** What scripts/setup-sandboxes.ts leaves; the same files are the image of every driver. */
export const rootfs = "/var/lib/trammel-test/rootfs";
export const image = "trammel-test/base:1";

export type DriverName = "docker" | "podman" | "bubblewrap";

/** Whether the driver can be tested on this machine; the test command lists what was left out. */
export function works(name: DriverName): boolean {
  const probe = {
    docker: ["docker", "image", "inspect", image],
    podman: ["podman", "image", "inspect", `localhost/${image}`],
    bubblewrap: ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
  }[name];
  const [command = "", ...args] = probe;
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return name !== "bubblewrap" || existsSync(rootfs);
  } catch {
    return false;
  }
}

/** There while the tests of a suite run; inside of a test it is `onTestFinished` that removes it. */
export function newFolder(whenDone?: (remove: () => void) => void): string {
  const folder = path.join(tmpdir(), `trammel-boxes-${randomBytes(6).toString("hex")}`);
  const make = (): void => mkdirSync(folder, { mode: 0o700 });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (whenDone === undefined) {
    beforeAll(make);
    afterAll(remove);
  } else {
    make();
    whenDone(remove);
  }
  return folder;
}

/** A variable of the engine's own; no box may see it. */
export const engineCanary = "canary-of-the-engine";

export function partsIn(folder: string): DriverParts {
  const blobs = fileBlobs(path.join(folder, "blobs"));
  return {
    processes: createProcessRunner({ blobs, redactor: createRedactor(), clock: systemClock }),
    start: startLive,
    home: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ENGINE_TOKEN: engineCanary },
  };
}

export function driverIn(name: DriverName, folder: string): SandboxDriver {
  const parts = partsIn(folder);
  return name === "bubblewrap" ? bubblewrapDriver(parts) : containerDriver(name, parts);
}

export function specOf(image: string, more: Partial<SandboxSpec> = {}): SandboxSpec {
  return { id: `trammel-test-${randomBytes(6).toString("hex")}`, image, mounts: [], owner: self(), ...more };
}

export async function make(driver: SandboxDriver, spec: SandboxSpec): Promise<Sandbox> {
  const made = await driver.create(spec, new AbortController().signal);
  if ("fault" in made) throw new Error(`${made.fault} — ${made.hint}`);
  return made.sandbox;
}

export interface Says {
  readonly end: SandboxResult["end"];
  readonly out: string;
  readonly err: string;
  readonly result: SandboxResult;
}

export const never = new AbortController().signal;

/** Runs a shell line in the box. */
export async function sh(
  box: Sandbox,
  line: string,
  more: Partial<SandboxExec> = {},
  signal: AbortSignal = never,
): Promise<Says> {
  const result = await box.exec({ ...command(line), outputBytes: 1024 * 1024, ...more }, signal);
  return { end: result.end, out: result.stdout.text, err: result.stderr.text, result };
}

export function command(line: string): SandboxCommand {
  return { argv: ["sh", "-c", line], cwd: "/workspace", env: {} };
}

export const exit = (code: number): SandboxResult["end"] => ({ kind: "exit", code });

/** Hands out a box of its own and removes it afterwards. */
export type WithBox = (more: Partial<SandboxSpec>, use: (box: Sandbox) => Promise<void>) => Promise<void>;
