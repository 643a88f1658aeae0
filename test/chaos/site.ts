import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openJournal } from "../../src/hosts/embedded/journal.ts";
import type { JournalEvent } from "../../src/model/events.ts";
import type { RunRow } from "../../src/ports/journal.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { systemIds } from "../../src/runtime/ids.ts";
import { isAlive, isSame, self } from "../../src/runtime/processes/identity.ts";
import { listPids, readStat, readVariable } from "../../src/runtime/processes/procfs.ts";
import type { Case } from "./cases.ts";

const bin = resolve(import.meta.dirname, "../../bin/trammel.js");
const faults = join(import.meta.dirname, "faults.cjs");

/** Memory where there is a file system in it: what is on trial is what is written and in which order, not the disk. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/**
 * No command of a case is at work for so long: one that is hangs, and is killed, so that its run is seen not to end.
 */
const hungMs = 30_000;

export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Disturbance {
  /** `CHAOS_AT` of faults.cjs. */
  readonly at?: string | undefined;
  /** Milliseconds by which the system clock is off. */
  readonly wall?: number | undefined;
  /** Milliseconds after which it is killed. */
  readonly killAfter?: number | undefined;
  readonly more?: Readonly<Record<string, string>>;
  /** On a terminal, at which nobody types. */
  readonly terminal?: boolean;
}

export interface Stored {
  readonly row: RunRow;
  readonly document: string | null;
  readonly events: readonly JournalEvent[];
}

/** An action as it noted itself, apart from Trammel: `run node what`. */
export interface Effect {
  readonly run: string;
  readonly node: string;
  readonly what: string;
}

/** A store on disk, working folders, and the real command line over them, as processes that can be disturbed. */
export class Site implements Disposable {
  readonly folder = mkdtempSync(join(base, "trammel-chaos-"));
  readonly home = join(this.folder, "home");
  /** What each of its processes and all that they start carry in their environment. */
  readonly word = this.folder;
  /** Whether one of its processes had to be killed because it would not end. */
  hung = false;
  #processes = 0;
  readonly #commands: string[] = [];

  /** A folder with the documents of a case; its actions note themselves in it. */
  work(of: Case, name = "work"): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(of.documents)) writeFileSync(join(folder, file), text);
    return folder;
  }

  async trammel(cwd: string, args: readonly string[], how: Disturbance = {}): Promise<Ended> {
    this.#processes += 1;
    const said = join(this.folder, `said-${this.#processes}`);
    // Files rather than pipes: they are whole when the process is gone, and nobody who still holds one is waited for.
    const [out, err] = [openSync(`${said}.out`, "w"), openSync(`${said}.err`, "w")];
    const command = [process.execPath, "--require", faults, bin, ...args];
    const terminal = how.terminal === true;
    const [program = "", ...argv] = terminal ? ["script", "-qefc", command.join(" "), "/dev/null"] : command;
    // The end of what a terminal types would be the end of its session.
    const child = spawn(program, argv, {
      cwd,
      env: this.#environment(how),
      stdio: [terminal ? "pipe" : "ignore", out, err],
    });
    closeSync(out);
    closeSync(err);
    const begun = performance.now();
    const timer = setTimeout(() => child.kill("SIGKILL"), how.killAfter ?? hungMs);
    const ended = await new Promise<Pick<Ended, "code" | "signal">>((done, fail) => {
      child.on("error", fail);
      child.on("exit", (code, signal) => done({ code, signal }));
    });
    clearTimeout(timer);
    this.hung ||= ended.signal === "SIGKILL" && performance.now() - begun >= hungMs;
    const [stdout, stderr] = [readFileSync(`${said}.out`, "utf8"), readFileSync(`${said}.err`, "utf8")];
    this.#commands.push(`${how.at ?? ""} trammel ${args.join(" ")} → ${ended.code ?? ended.signal} ${stderr.trim()}`);
    return { ...ended, stdout, stderr };
  }

  #environment({ at, wall, more }: Disturbance): NodeJS.ProcessEnv {
    const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
    return {
      ...rest,
      TRAMMEL_HOME: this.home,
      XDG_CONFIG_HOME: join(this.folder, "config"),
      CHAOS_SITE: this.word,
      ...(at !== undefined && { CHAOS_AT: at }),
      ...(wall !== undefined && { CHAOS_WALL: String(wall) }),
      ...more,
    };
  }

  /**
   * How many commits the command makes where nothing disturbs it. Throws where there
   * are fewer than `least`: then faults.cjs misses some.
   */
  async commitsOf(cwd: string, args: readonly string[], least: number): Promise<number> {
    const file = join(this.folder, "commits");
    const { stderr } = await this.trammel(cwd, args, { more: { CHAOS_COUNT: file } });
    const commits = Number(readFileSync(file, "utf8"));
    if (commits < least) throw new Error(`${args.join(" ")} made ${commits} commits, not ${least} or more: ${stderr}`);
    return commits;
  }

  /** Every run of the store with its events; reading checks the chain. */
  async stored(): Promise<readonly Stored[]> {
    if (!existsSync(join(this.home, "trammel.db"))) return [];
    const ids = systemIds(systemClock);
    const notice = (): void => undefined;
    const journal = openJournal({ home: this.home, clock: systemClock, ids, notice, self: self(), isAlive, isSame });
    const top = journal.runs(1_000);
    const rows = top.flatMap((row) => [row, ...inside(row.run)]);
    function inside(run: string): readonly RunRow[] {
      return journal.runs(1_000, run).flatMap((row) => [row, ...inside(row.run)]);
    }
    const stored = rows.map((row) => ({
      row,
      document: journal.definition(row.definition),
      events: [...journal.read(row.run)],
    }));
    await journal.close();
    return stored;
  }

  /** Events that some process was told of and printed. */
  told(): readonly { readonly run: string; readonly seq: number; readonly type: string }[] {
    const lines = Array.from({ length: this.#processes }, (_, i) =>
      readFileSync(join(this.folder, `said-${i + 1}.out`), "utf8").split("\n"),
    ).flat();
    return lines.flatMap((line) => {
      const said = parsed(line);
      return said !== null && typeof said["seq"] === "number"
        ? [{ run: String(said["run"]), seq: said["seq"], type: String(said["type"]) }]
        : [];
    });
  }

  /** What its processes were and said, for a case that went wrong. */
  async story(): Promise<string> {
    const runs = (await this.stored()).map(({ row }) => `${row.run} ${row.status}: ${row.reason ?? ""} ${row.cwd}`);
    return [...this.#commands, ...runs, ...this.left().map(describe)].join("\n  ");
  }

  /** Processes that this site has started, or that these have started, and that still live. */
  left(): readonly number[] {
    return listPids().filter((pid) => readVariable(pid, "CHAOS_SITE") === this.word);
  }

  [Symbol.dispose](): void {
    for (const pid of this.left()) process.kill(pid, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function describe(pid: number): string {
  const { parent, group, session } = readStat(pid) ?? {};
  const custody = readVariable(pid, "TRAMMEL_CUSTODY");
  return `left: ${pid} (parent ${parent}, group ${group}, session ${session}), custody ${custody}, run ${readVariable(pid, "TRAMMEL_RUN")}`;
}

/** What the actions in a folder noted about themselves; those that may be repeated note themselves in `again`. */
export function effectsIn(work: string, file: "log" | "again" = "log"): readonly Effect[] {
  const path = join(work, file);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [run = "", node = "", what = ""] = line.split(" ");
    return { run, node, what };
  });
}

/** A line that a killed process had only half written is none. */
function parsed(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}
