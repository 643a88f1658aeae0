import { messageOf } from "../../model/thrown.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type {
  CopiedOut,
  Sandbox,
  SandboxCommand,
  SandboxExec,
  SandboxFault,
  SandboxLimitName,
  SandboxResult,
} from "../../ports/sandbox.ts";
import { copyInto } from "../copy/into.ts";
import { copyOut } from "../copy/out.ts";
import { limitMet } from "../counters.ts";
import { launch } from "../inside/launch.ts";
import type { DriverParts } from "../parts.ts";
import { countersOf, type Groups, removeGroups } from "./groups.ts";
import { type BoxFolder, removeTree } from "./layout.ts";

export interface BoxParts {
  readonly id: string;
  readonly parts: DriverParts;
  readonly folder: BoxFolder;
  readonly groups: Groups;
  /** Values of the limits, for the outcome that names one. */
  readonly limits: Readonly<Record<SandboxLimitName, number>>;
  /** Everything before the command: joins the groups and the namespace, then bwrap and what the box sees. */
  readonly prefix: readonly string[];
  /** Variables a command has by itself. */
  readonly base: Readonly<Record<string, string>>;
  readonly holder: LiveProcess | null;
  readonly forget: () => void;
}

const nothing = { text: "", bytes: 0 };

/**
 * Files, limits and a view of the host; each command gets process and network namespaces of
 * its own, so the kernel itself ends whatever it started.
 */
export class BubblewrapBox implements Sandbox {
  readonly id: string;
  readonly #of: BoxParts;
  readonly #ended = new AbortController();
  readonly #live = new Set<LiveProcess>();
  readonly #running = new Set<Promise<unknown>>();
  #gone: string | null = null;

  constructor(of: BoxParts) {
    this.id = of.id;
    this.#of = of;
    void of.holder?.end.then(() => this.#end(`the sandbox ${this.id} has ended: something outside stopped it`));
  }

  async exec(command: SandboxExec, signal: AbortSignal): Promise<SandboxResult> {
    if (this.#gone !== null) return lost(this.#gone);
    const before = countersOf(this.#of.groups);
    const { argv: _, env: __, ...how } = command;
    const running = this.#of.parts.processes.run(
      { ...how, ...this.#prepare(command), cwd: "/" },
      AbortSignal.any([signal, this.#ended.signal]),
    );
    this.#running.add(running);
    const result = await running;
    this.#running.delete(running);
    if (this.#gone !== null && !signal.aborted) return { ...result, end: { kind: "lost", message: this.#gone } };
    const { end, stderr } = result;
    if (end.kind === "exit" && end.code === 0) return result;
    if (end.kind === "exit" && stderr.text.startsWith("bwrap: "))
      return { ...result, end: { kind: "lost", message: stderr.text.trim() } };
    return { ...result, ...limitMet(before, countersOf(this.#of.groups), this.#of.limits) };
  }

  async open(command: SandboxCommand): Promise<LiveProcess | SandboxFault> {
    const started = this.#gone ?? (await this.#of.parts.start({ ...this.#prepare(command), cwd: "/" }));
    if (typeof started === "string") return { fault: started, hint: "Start the run again; a new one is made." };
    if (!("process" in started)) return { fault: started.message, hint: "Check that bubblewrap is installed." };
    this.#live.add(started);
    void started.end.then(() => this.#live.delete(started));
    if (this.#gone !== null) await started.kill();
    return started;
  }

  copyIn(from: string, to: string, signal: AbortSignal): Promise<null | SandboxFault> {
    return copyInto(this, from, to, signal);
  }

  copyOut(from: string, to: string, signal: AbortSignal): Promise<CopiedOut | SandboxFault> {
    return copyOut(this, from, to, signal);
  }

  async destroy(workspace: "keep" | "remove"): Promise<null | SandboxFault> {
    const { folder, groups, holder } = this.#of;
    this.#end(`the sandbox ${this.id} was removed`);
    await Promise.all([...[...this.#live].map((one) => one.kill()), ...this.#running]);
    await holder?.kill();
    try {
      if (!(await removeGroups(groups.folders))) throw new Error(`${groups.folders.join(", ")} cannot be removed`);
      await removeTree(workspace === "keep" ? folder.scratch : folder.root);
      return null;
    } catch (error) {
      const problem = messageOf(error);
      return {
        fault: `the sandbox ${this.id} could not be removed: ${problem}`,
        hint: `Remove ${folder.root} by hand.`,
      };
    }
  }

  #end(why: string): void {
    this.#gone ??= why;
    this.#ended.abort();
    this.#of.forget();
  }

  #prepare(command: SandboxCommand): Pick<SandboxExec, "argv" | "env"> {
    const { argv, variables } = launch(command, null);
    return { argv: [...this.#of.prefix, ...argv], env: { ...this.#of.base, ...variables } };
  }
}

function lost(message: string): SandboxResult {
  return { end: { kind: "lost", message }, output: nothing, stdout: nothing, stderr: nothing, survivors: [] };
}
