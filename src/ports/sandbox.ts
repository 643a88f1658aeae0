import type { ProcessIdentity } from "../model/process-identity.ts";
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
  /**
   * Absent: the default of limits.ts, held where the machine can. One that is asked for and cannot be held is a fault.
   */
  readonly memoryBytes?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly mounts: readonly SandboxMount[];
  /** The engine the box must not outlive. */
  readonly owner: ProcessIdentity;
}

/** What a box is made from, as far as looking into its workspace needs it. */
export interface SandboxImage {
  readonly image: string;
  readonly network?: string | undefined;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  /** Absolute, in the box. */
  readonly cwd: string;
  /**
   * Beside the few variables a box has by itself. Values are handed over by name: no argument, label or log holds one.
   */
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
 * A box: files, processes and network of its own, `/workspace` among the files. No method rejects. An `exec` is over
 * when nothing it started lives; an abort, like a timeout, ends all of that and nothing else in the box.
 */
export interface Sandbox {
  readonly id: string;
  exec(command: SandboxExec, signal: AbortSignal): Promise<SandboxResult>;
  /** A command to talk to while it runs; the caller ends it, and the end of the box does. */
  open(command: SandboxCommand): Promise<LiveProcess | SandboxFault>;
  /**
   * Copies a file, or all of a folder, of the host to the absolute path `to` in the box; folders on the way are made.
   */
  copyIn(from: string, to: string, signal: AbortSignal): Promise<null | SandboxFault>;
  /**
   * Copies a file or folder of the box to `to` on the host, which must not exist. Only files and folders arrive there.
   */
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
  /** Where the workspace of a box is, for a person. */
  workspaceOf(id: string): string;
  /** A line for a person's shell that opens one in the kept workspace of a box, with the programs the box had. */
  enterCommand(id: string, image: SandboxImage): string;
  /** Removes whatever stands under an id, workspace included; nothing there is no fault. */
  discard(id: string): Promise<null | SandboxFault>;
  /**
   * Looks at all boxes and workspaces of this data folder and acts on the
   * verdict; answers the ids it removed something of.
   */
  sweep(verdict: (id: string, owner: ProcessIdentity | null) => Promise<SandboxVerdict>): Promise<readonly string[]>;
}

/** What a provision node asks for; limits as in {@link SandboxSpec}. */
export interface ProvisionRequest extends Pick<SandboxSpec, "image" | "network" | "memoryBytes" | "cpus" | "pids"> {
  readonly run: string;
  readonly node: string;
  readonly pass: number;
  /** Names of variables whose values each command in the box gets; read when it starts, kept nowhere. */
  readonly forward: readonly string[];
  /** `HOST[:BOX][:ro|rw]`; a relative host path counts from `cwd`. */
  readonly mounts: readonly string[];
  /** Absolute working folder of the run. */
  readonly cwd: string;
}

/** A repository in a box, whose changes since `base` are kept when the box goes. */
export interface Checkout {
  readonly node: string;
  /** Absolute, in the box. */
  readonly path: string;
  /** Commit it was put at. */
  readonly base: string;
}

export interface SandboxInUse {
  readonly sandbox: Sandbox;
  /** Values of the forwarded names, as they are now. */
  readonly env: Readonly<Record<string, string>>;
  readonly hasNetwork: boolean;
  /**
   * A new folder of the host, in Trammel's data folder, for what is to be copied into the
   * box. Its user removes it; what an engine that was killed left of it goes with the box, or
   * once a later engine opens that or looks for what was left.
   */
  stage(): Promise<string | SandboxFault>;
}

/**
 * `over`: nothing of the run will be wanted again. `resumable`: its workspaces will. `kept`: they will, by a person.
 */
export type RunFate = Exclude<SandboxVerdict, "live"> | "kept";

/** The boxes of all runs of this process. No method rejects. */
export interface SandboxPool {
  /** Why no box can be made from this image here, as far as a quick look can tell; null when it can. */
  missing(image: string): string | null;
  /** Makes a box; its id is what commands name it by. What went wrong left nothing. */
  provision(
    request: ProvisionRequest,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly notes: readonly string[] } | SandboxFault>;
  /** A box of this run, made anew around its workspace where the old one is gone. */
  find(run: string, id: string, signal: AbortSignal): Promise<SandboxInUse | SandboxFault>;
  /** Remembers a checkout, durably. */
  checkedOut(id: string, checkout: Checkout): Promise<null | SandboxFault>;
  /**
   * Ends the boxes of a run: keeps what changed in each checkout, then removes them. Answers what a user should know.
   */
  release(run: string, fate: RunFate): Promise<readonly string[]>;
  /** Ends what engines that are gone left behind. */
  sweep(): Promise<readonly string[]>;
}
