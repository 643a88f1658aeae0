import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { messageOf, systemCode } from "../../model/thrown.ts";
import type { ProcessSpec } from "../../ports/processes.ts";
import { coveredDescriptors } from "./descriptors.ts";
import { identifyChild } from "./identity.ts";
import { custodyOf, custodyVariable } from "./marker.ts";

/** A child that exists, as leader of a group and session of its own. */
export interface Started {
  readonly child: ChildProcess;
  readonly root: ProcessIdentity;
  readonly exit: Promise<Exit>;
  /** Exited, and nothing holds its streams any more. */
  readonly closed: Promise<void>;
}

export type Exit = { readonly code: number } | { readonly signal: string };

export async function startChild(spec: ProcessSpec, word: string): Promise<Started | { readonly problem: string }> {
  const [command, ...args] = underMemoryLimit(spec);
  if (command === undefined || command === "") return { problem: "the command is empty" };
  try {
    const child = spawn(command, args, {
      cwd: spec.cwd,
      env: { ...spec.env, [custodyVariable]: custodyOf(word) },
      detached: true,
      stdio: [spec.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", ...coveredDescriptors()],
    });
    if (child.pid === undefined) {
      const [error] = (await once(child, "error")) as [unknown];
      return { problem: whyNot(error, command, spec) };
    }
    return {
      child,
      root: identifyChild(child.pid),
      exit: exitOf(child),
      closed: closeOf(child),
    };
  } catch (error) {
    return { problem: whyNot(error, command, spec) };
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  child.once("exit", (code, signal) => resolve(code === null ? { signal: signal ?? "unknown" } : { code }));
  return promise;
}

function closeOf(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once("close", () => resolve());
  return promise;
}

/**
 * The data segment is what grows with use; address space would refuse runtimes that only reserve. Sizes are KiB in
 * `ulimit`. Only Linux counts private mappings in it; elsewhere the command runs without a limit.
 */
function underMemoryLimit({ argv, memoryBytes }: ProcessSpec): readonly string[] {
  if (memoryBytes === undefined || process.platform !== "linux") return argv;
  const kibibytes = String(Math.max(1, Math.floor(memoryBytes / 1024)));
  return ["/bin/sh", "-c", 'ulimit -d "$1" || exit 126; shift; exec "$@"', "sh", kibibytes, ...argv];
}

function whyNot(error: unknown, command: string, { argv, cwd, env }: ProcessSpec): string {
  const folder = problemOfFolder(cwd);
  if (folder !== null) return folder;
  switch (systemCode(error)) {
    case "ENOENT":
      return command.includes("/") ? `${command} does not exist` : `${command} was not found on PATH`;
    case "EACCES":
    case "EPERM":
      return `${command} may not be executed; check its mode`;
    case "ENOEXEC":
      return `${command} is no program: a script needs a first line such as #!/bin/sh`;
    case "E2BIG":
      return `arguments and environment are too large for the system (${sizeOf(argv, env)} bytes); hand large values over by stdin or as a file`;
    case "EAGAIN":
      return "the system allows no more processes now; lower limits.parallel or raise its process limit";
    case "EMFILE":
    case "ENFILE":
      return "the system allows no more open files now; lower limits.parallel or raise `ulimit -n`";
    case "ENOMEM":
      return "the system has no memory for another process";
    case "ERR_INVALID_ARG_VALUE":
      return "an argument or variable holds a NUL byte, which no process can be given; hand it over by stdin or as a file";
    default:
      return `${command} could not be started: ${messageOf(error)}`;
  }
}

/** Looked at only after a failure: the system's answer does not tell a missing folder from a missing command. */
function problemOfFolder(cwd: string): string | null {
  try {
    return statSync(cwd).isDirectory() ? null : `the working folder ${cwd} is not a folder`;
  } catch {
    return `the working folder ${cwd} does not exist or may not be entered`;
  }
}

function sizeOf(argv: readonly string[], env: Readonly<Record<string, string>>): number {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...argv, ...variables].reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
}
