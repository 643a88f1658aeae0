import { randomUUID } from "node:crypto";
import { limits } from "../../model/limits.ts";
import type { LiveProcess, ProcessEnd, ProcessResult } from "../../ports/processes.ts";
import type {
  CopiedOut,
  Sandbox,
  SandboxCommand,
  SandboxExec,
  SandboxFault,
  SandboxResult,
  SandboxSpec,
} from "../../ports/sandbox.ts";
import { copyInto } from "../copy/into.ts";
import { copyOut } from "../copy/out.ts";
import { type Counters, limitMet, noneMet, readCounters } from "../counters.ts";
import { launch, script } from "../inside/launch.ts";
import { codeOf, launchVariable, settle } from "../inside/scripts.ts";
import type { DriverParts } from "../parts.ts";
import type { Cli, EngineName } from "./cli.ts";

export interface BoxParts {
  readonly engine: EngineName;
  readonly cli: Cli;
  readonly parts: DriverParts;
  readonly spec: SandboxSpec;
  /** The `run` that holds the box open. */
  readonly holder: LiveProcess;
  readonly removeVolume: () => Promise<null | SandboxFault>;
}

/** A running container. */
export class ContainerBox implements Sandbox {
  readonly id: string;
  readonly #of: BoxParts;
  #met: Counters = noneMet;
  #gone: string | null = null;

  constructor(of: BoxParts) {
    this.id = of.spec.id;
    this.#of = of;
    void of.holder.end.then(() => (this.#gone ??= `the sandbox ${this.id} has ended: something outside stopped it`));
  }

  async exec(command: SandboxExec, signal: AbortSignal): Promise<SandboxResult> {
    if (this.#gone !== null) return lost(this.#gone);
    const word = randomUUID();
    const before = this.#met;
    const { argv, env } = this.#execute(command, word, command.stdin !== undefined);
    const { argv: _, env: __, ...how } = command;
    const answered = await this.#of.parts.processes.run({ ...how, argv, env, cwd: "/" }, signal);
    const result = { ...answered, end: endOf(answered.end) };
    if (result.end.kind === "could_not_start" || isSuccess(result)) return result;
    const problem = await this.#settle(word);
    if (problem !== null) return { ...result, end: { kind: "lost", message: problem } };
    const { memoryBytes = limits.sandboxMemoryDefaultBytes, pids = limits.sandboxPidsDefault } = this.#of.spec;
    return { ...result, ...limitMet(before, this.#met, { memory: memoryBytes, pids }) };
  }

  async open(command: SandboxCommand): Promise<LiveProcess | SandboxFault> {
    if (this.#gone !== null) return { fault: this.#gone, hint: "Start the run again; a new one is made." };
    const word = randomUUID();
    const live = await this.#of.parts.start({ ...this.#execute(command, word, true), cwd: "/" });
    if (!("process" in live)) return { fault: live.message, hint: `Check that ${this.#of.engine} is installed.` };
    // Ending the client leaves the command inside alone.
    const end = live.end.then(async (client) => {
      const how = endOf(client);
      if (how.kind !== "exit" || how.code !== 0) await this.#settle(word);
      return how;
    });
    const kill = async (): Promise<void> => {
      await live.kill();
      await end;
    };
    return { ...live, end, kill };
  }

  copyIn(from: string, to: string, signal: AbortSignal): Promise<null | SandboxFault> {
    return copyInto(this, from, to, signal);
  }

  copyOut(from: string, to: string, signal: AbortSignal): Promise<CopiedOut | SandboxFault> {
    return copyOut(this, from, to, signal);
  }

  async destroy(workspace: "keep" | "remove"): Promise<null | SandboxFault> {
    this.#gone ??= `the sandbox ${this.id} was removed`;
    await this.#of.cli(["rm", "--force", this.id]);
    await this.#of.holder.kill();
    return workspace === "keep" ? null : this.#of.removeVolume();
  }

  #execute(command: SandboxCommand, word: string, withInput: boolean): Pick<SandboxExec, "argv" | "env"> {
    const { argv, variables } = launch(command, word);
    const passed = { ...variables, [launchVariable]: word };
    const names = Object.keys(passed).flatMap((name) => ["--env", name]);
    const input = withInput ? ["--interactive"] : [];
    return {
      argv: [this.#of.engine, "exec", ...input, ...names, this.id, ...argv],
      env: { ...this.#of.parts.env, ...passed },
    };
  }

  /** Ends what may be left of a command. Null when nothing is; else the box itself was ended, and why. */
  async #settle(word: string): Promise<string | null> {
    const { ok, stdout, problem } = await this.#of.cli(
      ["exec", this.id, ...script(settle, word)],
      limits.sandboxSettleMs,
    );
    if (ok) {
      this.#met = readCounters(stdout);
      return null;
    }
    if (this.#gone === null) {
      await this.destroy("keep");
      this.#gone = `the sandbox ${this.id} was ended, for a command in it could not be (${problem})`;
    }
    return this.#gone;
  }
}

function endOf(client: ProcessEnd): ProcessEnd {
  return client.kind === "exit" ? { kind: "exit", code: codeOf(client.code) } : client;
}

function isSuccess({ end }: ProcessResult): boolean {
  return end.kind === "exit" && end.code === 0;
}

function lost(message: string): SandboxResult {
  const nothing = { text: "", bytes: 0 };
  return { end: { kind: "lost", message }, output: nothing, stdout: nothing, stderr: nothing, survivors: [] };
}
