import { limits } from "../../model/limits.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type { SandboxDriver, SandboxFault, SandboxMade, SandboxSpec } from "../../ports/sandbox.ts";
import { folderWord, ownerWord, readOwner } from "../owner.ts";
import type { DriverParts } from "../parts.ts";
import { shellLine } from "../../model/shell.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import { ContainerBox } from "./box.ts";
import { type Cli, type EngineName, engineCli, lastLine } from "./cli.ts";
import { enterArguments, labels, runArguments } from "./create.ts";
import { sweepEngine } from "./sweep.ts";
import { removeVolume, takeVolume } from "./volume.ts";

/** Containers of docker or podman, by their command line. The engine's normal network unless the box says otherwise. */
export function containerDriver(engine: EngineName, parts: DriverParts): SandboxDriver {
  const cli = engineCli(engine, parts);
  const mine = `${labels.folder}=${folderWord(parts.home)}`;
  return {
    name: engine,
    check: () => check(engine, cli),
    create: (spec, signal) => create({ engine, cli, parts, mine }, spec, signal),
    workspaceOf: (id) => `${engine} volume ${id}`,
    enterCommand: (id, spec) => shellLine([engine, ...enterArguments(id, spec)]),
    async discard(id) {
      await cli(["rm", "--force", id]);
      return removeVolume(cli, id);
    },
    sweep: (verdict) => sweepEngine(cli, mine, (id, owner) => verdict(id, readOwner(owner))),
  };
}

async function check(engine: EngineName, cli: Cli): Promise<{ readonly works: string } | SandboxFault> {
  // `docker info` may succeed beside a daemon that does not.
  const question =
    engine === "docker" ? ["version", "--format", "{{.Server.Version}}"] : ["info", "--format", "{{.Version.Version}}"];
  const { ok, stdout, problem } = await cli(question);
  if (ok) return { works: `${engine} ${lastLine(stdout)}` };
  const start = engine === "docker" ? "start its daemon" : "see `podman info`";
  return { fault: `${engine} does not answer: ${problem}`, hint: `Install ${engine}, or ${start}.` };
}

interface Engine {
  readonly engine: EngineName;
  readonly cli: Cli;
  readonly parts: DriverParts;
  readonly mine: string;
}

async function create(of: Engine, spec: SandboxSpec, signal: AbortSignal): Promise<SandboxMade | SandboxFault> {
  const { engine, cli, parts, mine } = of;
  await cli(["rm", "--force", spec.id]);
  const volume = await takeVolume(cli, spec.id, mine);
  if (typeof volume !== "string") return volume;
  const marks = ["--label", mine, "--label", `${labels.owner}=${ownerWord(spec.owner)}`];
  let started = await start(of, spec, marks, true, signal);
  const notes: string[] = [];
  if (typeof started === "string" && !signal.aborted && isAboutLimits(started)) {
    notes.push(`${engine} cannot hold the default limits of a sandbox here: ${started}`);
    started = await start(of, spec, marks, false, signal);
  }
  if (typeof started === "string") {
    if (volume === "new") await removeVolume(cli, spec.id);
    return {
      fault: `the sandbox could not be made from ${spec.image}: ${started}`,
      hint: `See that \`${engine} run --rm -it ${spec.image} sh\` works; the image needs /bin/sh and cat.`,
    };
  }
  const sandbox = new ContainerBox({
    engine,
    cli,
    parts,
    spec,
    holder: started,
    removeVolume: () => removeVolume(cli, spec.id),
  });
  await openWorkspace(cli, spec.id);
  return { sandbox, notes };
}

/** The process that holds the box once it is up, else what the engine said. Whatever it had made is removed. */
async function start(
  { engine, cli, parts }: Engine,
  spec: SandboxSpec,
  marks: readonly string[],
  withDefaults: boolean,
  signal: AbortSignal,
): Promise<LiveProcess | string> {
  const argv = [engine, ...runArguments(spec, marks, withDefaults)];
  const holder = await parts.start({ argv, cwd: "/", env: parts.env });
  if (!("process" in holder)) return holder.message;
  const problem = await untilReady(holder, signal);
  if (problem === null) return holder;
  await holder.kill();
  await cli(["rm", "--force", spec.id]);
  return problem;
}

/** Null once the box says that it is up. */
async function untilReady(holder: LiveProcess, signal: AbortSignal): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let said = "";
  let complaint = "";
  holder.stdout.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-limits.faultTextCharacters);
    if (said.includes("ready\n")) resolve(null);
  });
  holder.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-limits.faultTextCharacters);
  });
  void holder.end.then(() => resolve(lastProblem(complaint) || "the box ended at once"));
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.sandboxStartMs)]);
  const stop = (): void => resolve(signal.aborted ? "it was stopped" : "it took too long to start");
  deadline.addEventListener("abort", stop);
  if (deadline.aborted) stop();
  const problem = await promise;
  deadline.removeEventListener("abort", stop);
  return problem;
}

/** Docker closes with advice; what failed stands above it. */
function lastProblem(text: string): string {
  const lines = text
    .trim()
    .split("\n")
    .filter((line) => !/^(See '|Run '|$)/.test(line.trim()));
  return lines.at(-1)?.trim() ?? "";
}

function isAboutLimits(problem: string): boolean {
  return /cgroup|controller|cpu|rlimit|memory limit|pids limit/i.test(problem);
}

/** A new volume belongs to root; the user of the image must be able to write to it. */
async function openWorkspace(cli: Cli, id: string): Promise<void> {
  const { ok } = await cli(["exec", id, "/bin/sh", "-c", `[ -w ${boxWorkspace} ]`]);
  if (!ok) await cli(["exec", "--user", "0", id, "/bin/sh", "-c", `chmod 1777 ${boxWorkspace}`]);
}
