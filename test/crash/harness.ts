import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unlikeReplay } from "../support/replayed.ts";
import { openJournal } from "../../src/hosts/embedded/journal.ts";
import type { JournalEvent } from "../../src/model/events.ts";
import type { RunRow } from "../../src/ports/journal.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { systemIds } from "../../src/runtime/ids.ts";
import { isAlive, isSame, self } from "../../src/runtime/processes/identity.ts";

const programs = join(import.meta.dirname, "../fixtures/engine");

export interface Exited {
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** Lines of stdout, each of them JSON. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export interface Journaled {
  readonly row: RunRow;
  readonly document: string;
  readonly events: readonly JournalEvent[];
}

/** A store and a working folder on disk, for engines that are processes. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), "trammel-crash-"));
  readonly home = join(this.folder, "home");
  readonly cwd = join(this.folder, "work");

  readonly document = join(this.folder, "blueprint.yaml");

  #files = 0;

  constructor() {
    mkdirSync(this.cwd);
  }

  #newFile(): string {
    this.#files += 1;
    return join(this.folder, `said-${this.#files}`);
  }

  start(document: string, crashAt?: string): Promise<Exited> {
    writeFileSync(this.document, document);
    return this.engine(["start", this.home, this.cwd, this.document], crashAt).exited;
  }

  resume(run: string, crashAt?: string, settle: readonly string[] = []): Promise<Exited> {
    return this.engine(["resume", this.home, run, ...settle], crashAt).exited;
  }

  engine(args: readonly string[], crashAt?: string): { readonly pid: number; readonly exited: Promise<Exited> } {
    return this.program("main.ts", args, crashAt === undefined ? {} : { CRASH_AT: crashAt });
  }

  program(
    name: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): { readonly pid: number; readonly exited: Promise<Exited> } {
    const env = { ...process.env, ...more };
    // Files rather than pipes: they are whole when the engine is gone, and nobody who still holds one is waited for.
    const [stdout, stderr] = [this.#newFile(), this.#newFile()];
    const open = [stdout, stderr].map((file) => openSync(file, "w"));
    const child = spawn(process.execPath, [join(programs, name), ...args], { env, stdio: ["ignore", ...open] });
    for (const descriptor of open) closeSync(descriptor);
    const read = (file: string): string => readFileSync(file, "utf8");
    const exited = new Promise<Exited>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (_, signal) =>
        resolve({ signal, stderr: read(stderr), lines: read(stdout).split("\n").filter(Boolean).map(parsed) }),
      );
    });
    return { pid: child.pid ?? 0, exited };
  }

  /** What the scripts of a run did, in order: each writes its name into the log. */
  done(): readonly string[] {
    const log = join(this.cwd, "log");
    return existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  }

  /** Every run of its own, or those right inside a run, with its events; reading checks the chain. */
  async journaled(inside: string | null = null): Promise<readonly Journaled[]> {
    if (!existsSync(this.home)) return [];
    const ids = systemIds(systemClock);
    const notice = (): void => undefined;
    const journal = openJournal({ home: this.home, clock: systemClock, ids, notice, self: self(), isAlive, isSame });
    const runs = journal.runs(1_000, inside).map((row) => ({
      row,
      document: journal.definition(row.definition) ?? "",
      events: [...journal.read(row.run)],
    }));
    await journal.close();
    return runs;
  }

  /** Events that some observer was told of, as `run seq hash`. */
  told(): readonly string[] {
    const file = join(this.home, "told");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  async remove(): Promise<void> {
    const unlike = await unlikeReplay(this.home);
    rmSync(this.folder, { recursive: true, force: true });
    if (unlike.length > 0) throw new Error(unlike.join("\n"));
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line) as Readonly<Record<string, unknown>>;
}

/** Five scripts one after the other, each of which leaves its name in the log, after the prefix. */
export function five(extra = "", prefix = ""): string {
  const names = ["a", "b", "c", "d", "e"];
  const nodes = names.map((name) => `  ${name}: { type: script, run: "echo ${prefix}${name} >> log"${extra} }`);
  const edges = names.slice(1).map((to, i) => `  - { from: ${names[i]}, to: ${to} }`);
  return `name: five\nnodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n  - { from: e, to: END }\n`;
}
