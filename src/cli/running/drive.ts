import { resolve } from "node:path";
import { limits } from "../../model/limits.ts";
import { exitCodeOf, exitCodes } from "../../model/outcome.ts";
import type { Observer, Refusal, RunEnd, RunHandle, StartRequest } from "../../runtime/api.ts";
import type { JournalEvent } from "../../model/events.ts";
import { decisionText } from "../../views/decision.ts";
import type { GateKeeper } from "../../ports/gate.ts";
import { emptyView, fold } from "../../views/fold.ts";
import { escaped, inert } from "../../views/inert.ts";
import type { RunView } from "../../views/run-view.ts";
import type { RunEndLine, RunSkippedLine } from "../../wire/run-report.ts";
import { unattendedGates, terminalGates } from "../asking/gate.ts";
import { isInside } from "../inside.ts";
import { onInterrupt } from "./interrupts.ts";
import { listenersOf } from "./listeners.ts";
import { observeAll } from "./notices.ts";
import { packageRoot } from "../documents/package-root.ts";
import type { Prepared } from "./prepare.ts";
import { dataHome } from "../store/home.ts";
import { patientGates, whenParked } from "../asking/parking.ts";
import { end as endProcess } from "../ending.ts";
import { refuse, report, usage } from "../problem.ts";
import { overlapIn, type OverlapOptions, turnIn } from "../queue.ts";
import type { Display } from "../screen/display.ts";
import { instant, wakesAt } from "../report.ts";
import type { ServiceOptions, Services } from "../services.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface DriveOptions extends OverlapOptions {
  readonly json?: true;
  readonly plain?: true;
  readonly record?: string;
  readonly loose?: true;
  readonly keepSandbox?: true;
}

/** Tells of a run that was refused before any effect, and answers the exit code. */
export type TellRefusal = (world: World, refusal: Refusal) => number;

/** What a run waits for before it begins, and until when. */
type Waits = Pick<StartRequest, "turn" | "signal">;

/** A run that is over, halted or parked. */
export interface Driven {
  readonly exit: number;
  /** Null where the run was refused before any effect. */
  readonly view: RunView | null;
}

/**
 * Executes a run in this process, shows it, and prints its results.
 * `history` is what a run that goes on has already done.
 */
export async function drive(
  world: World,
  prepared: Prepared,
  cwd: string,
  options: DriveOptions,
  begin: (services: Services, observer: Observer, waits: Waits) => Promise<RunHandle | Refusal>,
  history: readonly JournalEvent[] = [],
  tellRefusal: TellRefusal = refuse,
): Promise<Driven> {
  const { openServices, problemsIn } = await world.compose();
  const problems = await problemsIn(prepared.config);
  if (problems.length > 0) return { exit: report(world, usage(problems)), view: null };
  const view = emptyView("", prepared.blueprint);
  for (const event of history) fold(view, event);
  const display = await openDisplay(world, view, prepared, options);
  const services = await openServices({
    home: dataHome(world.env, world.cwd),
    cwd,
    env: world.env,
    config: prepared.config,
    blueprint: prepared.blueprint,
    plugins: prepared.plugins,
    callees: [...prepared.callees.values()].map(({ blueprint }) => blueprint),
    gates: gatesOf(world, options, display),
    ownFolders: [packageRoot()],
    ...serviceOptionsOf(options, world.cwd),
    notice: (what) => world.err.write(`${escaped(what)}\n`),
  });
  const notices = await listenersOf(world, prepared, cwd);
  const seen = observeAll(display, notices);
  let handle: RunHandle | undefined;
  const over = new AbortController();
  const park = (): boolean => !wakesSoon(view) && handle?.leave("park") === true;
  const observer = options.detach === true ? whenParked(seen, services.journal, park, over.signal) : seen;
  let asked: string | undefined;
  const waiting = new AbortController();
  const leave = twice(() => world.err.write(stillThere(view)));
  const interrupts = onInterrupt(process.env, (by) => {
    if (handle !== undefined) return view.endedAt === null ? interrupted(handle, view, by) : leave(by);
    // The run is just being made: it is stopped once it exists, and a second time of asking does not wait for that.
    if (asked !== undefined) endProcess(exitCodes.stopped);
    asked = by;
    waiting.abort();
  });
  try {
    const overlap = overlapIn(options, prepared.blueprint);
    const turn = overlap === "queue" ? { turn: turnIn(world, waiting.signal) } : {};
    const started = await begin(services, observer, { signal: waiting.signal, ...turn });
    if ("refused" in started) {
      if (asked !== undefined) return { exit: exitCodes.stopped, view: null };
      const isSkipped = started.holder !== undefined && overlap === "skip";
      return { exit: isSkipped ? skipped(world, options, started) : tellRefusal(world, started), view: null };
    }
    handle = started;
    if (asked !== undefined) handle.stop(asked);
    const end = await handle.end;
    display.finish();
    await printEnd(world, services, prepared, view, end, cwd, options);
    return { exit: exitCodeOf(end.status), view };
  } finally {
    over.abort();
    display.finish();
    interrupts.dispose();
    await notices.sent();
    await services.close();
  }
}

function gatesOf(world: World, { detach }: DriveOptions, display: Display): GateKeeper {
  if (detach === true) return patientGates;
  if (!world.interactive || isInside(world)) return unattendedGates;
  return terminalGates({ input: process.stdin, err: world.err, screen: display });
}

/** Whether it is not worth the while to be let go of. */
function wakesSoon({ asleep }: RunView): boolean {
  return asleep.size > 0 && Math.min(...asleep.values()) - Date.now() < limits.pauseKeptMs;
}

/** A run that only keeps a pause is let go of and goes on later; any other is stopped. */
function interrupted(handle: RunHandle, view: RunView, by: string): void {
  if (wakesAt(view) === null || !handle.leave("park")) handle.stop(by);
}

/** Once a run is over, only its command can be ended; waits for others, as for a lock, may be what is left of it. */
function twice(tell: () => void): (by: string) => void {
  let isTold = false;
  return (by) => {
    if (by !== "Ctrl-C") return;
    if (isTold) endProcess(exitCodes.stopped);
    isTold = true;
    tell();
  };
}

function stillThere({ run, status }: RunView): string {
  return `run ${run} is over (${status}) and being cleared up after; Ctrl-C once more leaves the rest as it is\n`;
}

function serviceOptionsOf({ record, loose, keepSandbox }: DriveOptions, cwd: string): Partial<ServiceOptions> {
  return {
    ...(record === undefined ? {} : { record: resolve(cwd, record) }),
    ...(loose === undefined ? {} : { loose }),
    ...(keepSandbox === undefined ? {} : { keepSandboxes: keepSandbox }),
  };
}

async function openDisplay(
  world: World,
  view: RunView,
  { blueprint, callees }: Prepared,
  options: DriveOptions,
): Promise<Display> {
  if (options.json === true || isPlain(world, options)) {
    const { jsonDisplay, plainDisplay } = await import("../screen/lines.ts");
    return options.json === true ? jsonDisplay(world.out, view) : plainDisplay(world.err, view);
  }
  const [{ LiveDisplay }, { LiveRun }, { palette }] = await Promise.all([
    import("../screen/live.ts"),
    import("../screen/live-run.ts"),
    import("../screen/palette.ts"),
  ]);
  const run = new LiveRun(view, blueprint, callees, null, () => undefined);
  return new LiveDisplay(world.err, run, palette(world.err, world.env), Date.now);
}

function isPlain({ err, env }: World, { plain }: DriveOptions): boolean {
  return plain === true || !err.terminal || env["TERM"] === "dumb";
}

/** As the blueprint wants it: no run, and no failure. */
function skipped(world: World, { json }: DriveOptions, { message, holder = "" }: Refusal): number {
  const line: RunSkippedLine = { type: "run.skipped", reason: message, because: holder, exitCode: exitCodes.ok };
  if (json === true) world.out.write(jsonLine(line));
  world.err.write(`skipped: ${escaped(message)}\n`);
  return exitCodes.ok;
}

async function printEnd(
  world: World,
  services: Services,
  prepared: Prepared,
  view: RunView,
  end: RunEnd,
  cwd: string,
  options: DriveOptions,
): Promise<void> {
  await printEscalation(world, services, prepared, view, cwd, options);
  if (options.json === true) {
    const line: RunEndLine = {
      type: "run.finished",
      run: end.run,
      seq: view.seq,
      at: instant(view.endedAt ?? Date.now()),
      status: end.status,
      reason: end.reason,
      exitCode: exitCodeOf(end.status),
      walkedPast: view.walkedPast,
      usage: view.usage,
      ...(wakesAt(view) === null ? {} : { wakesAt: wakesAt(view) }),
    };
    world.out.write(jsonLine(line));
    return;
  }
  const { outputsOf } = await import("./outputs.ts");
  const said = await outputsOf(services, prepared.blueprint, end.run);
  // On a terminal the output of a program is text; in a pipe it is what the program wrote.
  world.out.write(world.out.terminal ? inert(said) : said);
  if (end.status !== "succeeded") world.err.write(next(end, view, isPlain(world, options)));
}

async function printEscalation(
  world: World,
  { journal }: Services,
  { blueprint: { records } }: Prepared,
  view: RunView,
  cwd: string,
  options: DriveOptions,
): Promise<void> {
  if (view.halting?.cause !== "escalated") return;
  const [{ escalationBlock, escalationOf }, { evidenceOf }, { noteEscalation }] = await Promise.all([
    import("../../views/escalation.ts"),
    import("../asking/evidence.ts"),
    import("./state-file.ts"),
  ]);
  const escalation = escalationOf(view.taskId, view.halting);
  if (escalation === null) return;
  const output = options.json === true ? world.err : world.out;
  output.write(escalationBlock(escalation, evidenceOf(journal, view.run, view.halting)));
  const problem = noteEscalation(escalation, records, cwd, view.endedAt ?? Date.now());
  if (problem !== null) world.err.write(`${escaped(problem)}\n`);
}

/** What a person can do now. The reason is `told` already where every event has a line; a screen may have cut it. */
function next({ run, status, reason }: RunEnd, view: RunView, told: boolean): string {
  const { halting } = view;
  const lines = [
    `run ${run} ${status}${reason === null || told ? "" : `: ${inert(reason)}`}`,
    `  See what it did: trammel show ${run}`,
  ];
  const until = wakesAt(view);
  if (until !== null) lines.push(`  It goes on from ${until}: trammel resume ${run}`);
  if (view.atWork.waiting > view.asleep.size) lines.push("  See what it asks, and how to answer: trammel inbox");
  if (halting !== null) lines.push(...decisionText(run, status, halting));
  return `${lines.join("\n")}\n`;
}
