import type { ProcessIdentity } from "../model/events.ts";
import type { LiveProcess, ProcessEnd, ProcessResult } from "./processes.ts";

/** Why a box could not be made, used or copied: one sentence, and what to do next. */
export interface SandboxFault {
  readonly fault: string;
  readonly hint: string;
}

/** A folder or file of the host, seen at `to` in the box. */
export interface SandboxMount {
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
}

export type SandboxLimitName = "memory" | "cpus" | "pids";

export interface SandboxSpec {
  /** Name of the box on this machine: `[A-Za-z0-9][A-Za-z0-9_.-]*`, at most `limits.sandboxIdCharacters`. */
  readonly id: string;
  readonly image: string;
  /** `none`, `host`, or a network the engine knows; absent: the driver's default. */
  readonly network?: string;
  /** Absent: the default of limits.ts, held where the machine can. One that is asked for and cannot be held is a fault. */
  readonly memoryBytes?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly mounts: readonly SandboxMount[];
  /** The engine the box must not outlive. */
  readonly owner: ProcessIdentity;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  /** Absolute, in the box. */
  readonly cwd: string;
  /** Beside the few variables a box has by itself. Values are handed over by name: no argument, label or log holds one. */
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxExec extends SandboxCommand {
  readonly stdin?: Uint8Array;
  readonly timeoutMs?: number;
  readonly outputBytes: number;
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
  readonly onStart?: (process: ProcessIdentity) => void;
}

export type SandboxEnd =
  | ProcessEnd
  /** The box is gone, or had to be ended because something in it could not be. */
  | { readonly kind: "lost"; readonly message: string };

export interface SandboxResult extends Omit<ProcessResult, "end"> {
  readonly end: SandboxEnd;
  /** The limit of the box that the command ran into, where it did not succeed. */
  readonly limit?: { readonly name: SandboxLimitName; readonly value: number };
}

/** What a copy out of a box left behind: a link, a device, or a name that would have led out of its folder. */
export interface CopiedOut {
  readonly skipped: readonly string[];
}

/**
 * A box: files, processes and network of its own, `/workspace` among the files. No method rejects.
 * An `exec` is over when nothing it started lives; an abort, like a timeout, ends all of that and nothing else in the box.
 */
export interface Sandbox {
  readonly id: string;
  exec(command: SandboxExec, signal: AbortSignal): Promise<SandboxResult>;
  /** A command to talk to while it runs; the caller ends it, and the end of the box does. */
  open(command: SandboxCommand): Promise<LiveProcess | SandboxFault>;
  /** Copies a file, or all of a folder, of the host to the absolute path `to` in the box; folders on the way are made. */
  copyIn(from: string, to: string, signal: AbortSignal): Promise<null | SandboxFault>;
  /** Copies a file or folder of the box to `to` on the host, which must not exist. Only files and folders arrive there. */
  copyOut(from: string, to: string, signal: AbortSignal): Promise<CopiedOut | SandboxFault>;
  /** Ends all that runs in it and removes it; its workspace stays for a later box of the same id, or goes too. */
  destroy(workspace: "keep" | "remove"): Promise<null | SandboxFault>;
}

export interface SandboxMade {
  readonly sandbox: Sandbox;
  /** What a user should know, one sentence each: a default limit that cannot be held here. */
  readonly notes: readonly string[];
}

/** What becomes of a box that is found: it is in use, it may be made anew around its workspace, or nobody wants it. */
export type SandboxVerdict = "live" | "resumable" | "over";

export interface SandboxDriver {
  readonly name: string;
  /** What it runs with, or why it does not work here; really asks, so it may take a second. */
  check(): Promise<{ readonly works: string } | SandboxFault>;
  /** A box that is left half made is removed again. A workspace that an earlier box of this id left is taken over. */
  create(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxMade | SandboxFault>;
  /** Removes whatever stands under an id, workspace included; nothing there is no fault. */
  discard(id: string): Promise<null | SandboxFault>;
  /** Looks at all boxes and workspaces of this data folder and acts on the verdict; answers the ids it removed something of. */
  sweep(verdict: (id: string, owner: ProcessIdentity | null) => SandboxVerdict): Promise<readonly string[]>;
}
