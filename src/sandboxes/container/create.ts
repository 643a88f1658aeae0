import { availableParallelism } from "node:os";
import { readFileSync } from "node:fs";
import { limits } from "../../model/limits.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import type { SandboxImage, SandboxSpec } from "../../ports/sandbox.ts";
import { script } from "../inside/launch.ts";
import { hold } from "../inside/scripts.ts";

/** What a sweep finds boxes and their owners by. */
export const labels = { folder: "trammel.folder", owner: "trammel.owner" } as const;

/** Arguments after `docker` or `podman` that make a box and hold it open for as long as their standard input is. */
export function runArguments(spec: SandboxSpec, marks: readonly string[], withDefaults: boolean): readonly string[] {
  const [shell = "", ...rest] = script(hold);
  return [
    ...words("run --rm --interactive --stop-timeout 0 --name"),
    spec.id,
    ...marks,
    `--volume=${spec.id}:${boxWorkspace}`,
    `--workdir=${boxWorkspace}`,
    ...spec.mounts.map(({ from, to, writable }) => `--volume=${from}:${to}:${writable ? "rw" : "ro"}`),
    ...words("--cap-drop ALL --security-opt no-new-privileges"),
    ...limitArguments(spec, withDefaults),
    ...(spec.network === undefined ? [] : [`--network=${spec.network}`]),
    `--entrypoint=${shell}`,
    spec.image,
    ...rest,
  ];
}

/** Arguments after `docker` or `podman` that give a person a shell in a workspace that was kept. */
export function enterArguments(id: string, { image, network }: SandboxImage): readonly string[] {
  return [
    ...words("run --rm --interactive --tty"),
    `--volume=${id}:${boxWorkspace}`,
    `--workdir=${boxWorkspace}`,
    ...userLimits(),
    ...(network === undefined ? [] : [`--network=${network}`]),
    "--entrypoint=sh",
    image,
  ];
}

function limitArguments(spec: SandboxSpec, withDefaults: boolean): readonly string[] {
  const memory = spec.memoryBytes ?? (withDefaults ? limits.sandboxMemoryDefaultBytes : undefined);
  const cpus = spec.cpus ?? (withDefaults ? Math.min(limits.sandboxCpusDefault, availableParallelism()) : undefined);
  const pids = spec.pids ?? (withDefaults ? limits.sandboxPidsDefault : undefined);
  return [
    // Swap counts too, else the limit would be twice what it says.
    ...(memory === undefined ? [] : [`--memory=${memory}b`, `--memory-swap=${memory}b`]),
    ...(cpus === undefined ? [] : [`--cpus=${cpus}`]),
    ...(pids === undefined ? [] : [`--pids-limit=${pids}`]),
    ...userLimits(),
  ];
}

/** Podman asks for more than a small machine may give, and then starts nothing at all. */
function userLimits(): readonly string[] {
  return [
    ulimit("nofile", "Max open files", limits.sandboxOpenFiles),
    ulimit("nproc", "Max processes", limits.sandboxUserProcesses),
  ];
}

/** Several fixed arguments, as one would type them. */
function words(line: string): readonly string[] {
  return line.split(" ");
}

function ulimit(name: string, title: string, wanted: number): string {
  const value = Math.min(wanted, hardLimit(title));
  return `--ulimit=${name}=${value}:${value}`;
}

/** From /proc/self/limits; unlimited where the system has none to tell. */
function hardLimit(title: string): number {
  try {
    const row = readFileSync("/proc/self/limits", "utf8")
      .split("\n")
      .find((line) => line.startsWith(title));
    const value = Number(row?.slice(title.length).trim().split(/\s+/)[1]);
    return Number.isFinite(value) ? value : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
