import type { Readable, Writable } from "node:stream";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { CapturedText } from "../model/outcome.ts";

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty when absent: the child reads end of file at once. */
  readonly stdin?: Uint8Array;
  readonly timeoutMs?: number;
  readonly outputBytes: number;
  readonly memoryBytes?: number;
  /** A line of output as it arrives, masked and bounded; for screens only. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** Called once, as soon as the child exists; awaited before its outcome is reported. */
  readonly onStart?: (process: ProcessIdentity) => void;
}

export type ProcessEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "could_not_start"; readonly message: string }
  /** Output could not be kept (full disk); the tree was ended. */
  | { readonly kind: "spill"; readonly message: string };

export interface ProcessResult {
  readonly end: ProcessEnd;
  /** Both streams as they came. */
  readonly output: CapturedText;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
  /** Processes of the tree that could not be ended; empty in any ordinary end. */
  readonly survivors: readonly ProcessIdentity[];
}

/**
 * Runs a command as the root of a process tree and answers when the whole tree is gone or its survivors are named.
 * Never throws and never rejects: what went wrong is in `end`.
 */
export interface ProcessRunner {
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult>;
}

/** A process to talk to while it runs. */
export interface LiveProcess {
  readonly process: ProcessIdentity;
  /** Writing to a process that is gone is harmless. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once its whole tree is gone; never rejects. `cancelled` where {@link kill} came first. */
  readonly end: Promise<ProcessEnd>;
  /** Ends the tree at once; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts a process as the root of a tree that does not outlive it. Never rejects. */
export type StartProcess = (
  spec: Pick<ProcessSpec, "argv" | "cwd" | "env">,
) => Promise<LiveProcess | Extract<ProcessEnd, { kind: "could_not_start" }>>;
