import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { asKept, unlikeReplay } from "../../support/replayed.ts";

export const root = resolve(import.meta.dirname, "..", "..", "..");
const bin = join(root, "bin", "trammel.js");

/**
 * A fresh folder with a store of its own, gone after the test; before that, what the test left at
 * work in it is ended, and what it left in the journal is replayed.
 */
export class Place implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "trammel-e2e-"));
  readonly home = join(this.folder, ".home");
  /** The temporary folder of what is started here; every user may write to it. */
  readonly temporary = `${this.folder}.tmp`;

  constructor() {
    mkdirSync(this.temporary);
    chmodSync(this.temporary, 0o1777);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file, with the folders it stands in, and answers its path. */
  file(name: string, text: string | Uint8Array): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Resolves when a file holds just this: that a command has been started does not say how far it is. */
  until(name: string, text: string): Promise<void> {
    return holds(this.path(name), text);
  }

  /** Has git do something in the folder, and answers what it said. */
  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.folder, encoding: "utf8" }).trim();
  }

  [Symbol.dispose](): void {
    left.push(this);
  }
}

async function holds(file: string, text: string): Promise<void> {
  await expect.poll(() => (existsSync(file) ? readFileSync(file, "utf8") : "")).toBe(text);
}

const compileCache = join(tmpdir(), "node-compile-cache");

/** What a killed engine leaves to the next one, what is kept for people, and what a program of an agent leaves. */
const mayStay = /^(?:trammel-(?:\d+\.\w+\.|test-|demo-)\w{6}|qwen-socks-\w+)$/;

const left: Place[] = [];
const atWork = new Map<Running, Place>();

/** What a test that failed left at work would slow down every test after it, and be counted by some. */
async function endWork(place: Place): Promise<void> {
  for (const [running, where] of atWork) {
    if (where !== place) continue;
    const { child, end } = running;
    for (const signal of ["SIGTERM", "SIGCONT"] as const) child.kill(signal);
    const patience = setTimeout(() => child.kill("SIGKILL"), 30_000);
    await end;
    clearTimeout(patience);
  }
}

/** Loading the plug-ins that a journal needs takes its time, which the end of a block does not give. */
async function replayLeft(): Promise<void> {
  const unlike: string[] = [];
  for (const place of left.splice(0)) {
    await endWork(place);
    const { home, folder, temporary } = place;
    unlike.push(...(await unlikeReplay(home, asKept({ XDG_CONFIG_HOME: join(folder, ".config") }))));
    const stray = readdirSync(temporary).filter((name) => !mayStay.test(name));
    unlike.push(...stray.map((name) => `${name} was left in the temporary folder`));
    for (const each of [folder, temporary]) rmSync(each, { recursive: true, force: true });
  }
  if (unlike.length > 0) throw new Error(unlike.join("\n"));
}

afterEach(replayLeft);
afterAll(replayLeft);

export interface StartOptions {
  readonly place: Place;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input, which ends after it; `/dev/null` when absent. */
  readonly input?: string;
  /** A terminal of 80 columns on all three standard streams. */
  readonly terminal?: boolean;
  /** Program and arguments in front of the command. */
  readonly wrapper?: readonly string[];
  /** Starts the launcher with this Node. */
  readonly node?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command line. */
export class Running {
  readonly child: ChildProcess;
  readonly end: Promise<Finished>;
  stdout = "";
  stderr = "";
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#grow("stdout", text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#grow("stderr", text));
    this.end = new Promise((done) => {
      child.once("close", (code, signal) => {
        done({ code, signal, stdout: this.stdout, stderr: this.stderr });
        for (const check of this.#waiting) check();
      });
    });
  }

  /** Resolves when the pattern is in what the command has printed; rejects when it ends without. */
  until(pattern: RegExp): Promise<void> {
    return new Promise((done, fail) => {
      const check = () => {
        if (pattern.test(this.stdout) || pattern.test(this.stderr)) done();
        else if (this.child.exitCode !== null || this.child.signalCode !== null)
          fail(new Error(`ended without ${pattern}:\n${this.stdout}\n${this.stderr}`));
        else return;
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
      check();
    });
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  #grow(stream: "stdout" | "stderr", text: string): void {
    this[stream] += text;
    for (const check of this.#waiting) check();
  }
}

/** Starts the built command line as people do. */
export function start(args: readonly string[], options: StartOptions): Running {
  const { place, terminal = false, wrapper = [], node = process.execPath } = options;
  const command = [...wrapper, node, bin, ...args];
  const argv = terminal
    ? ["script", "-qefc", `stty cols 80 rows 24; exec ${command.map(quote).join(" ")}`, "/dev/null"]
    : command;
  const [program = "", ...rest] = argv;
  const child = spawn(program, rest, {
    cwd: place.folder,
    env: {
      ...clean(process.env),
      TRAMMEL_HOME: place.home,
      TMPDIR: place.temporary,
      NODE_COMPILE_CACHE: compileCache,
      XDG_CONFIG_HOME: join(place.folder, ".config"),
      ...options.env,
    },
    stdio: [terminal || options.input !== undefined ? "pipe" : "ignore", "pipe", "pipe"],
  });
  if (options.input !== undefined && !terminal) child.stdin?.end(options.input);
  const running = new Running(child);
  atWork.set(running, place);
  void running.end.then(() => atWork.delete(running));
  return running;
}

export function trammel(args: readonly string[], options: StartOptions): Promise<Finished> {
  return start(args, options).end;
}

/** The last line of standard output, read as JSON. */
export function lastLine(finished: Finished): Record<string, unknown> {
  return JSON.parse(finished.stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Without what a test runner adds and what would make colours. */
function clean(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS: _,
    FORCE_COLOR: __,
    CI: ___,
    TRAMMEL_HOME: ____,
    VITEST: _____,
    npm_command: ______,
    ...rest
  } = env;
  return rest;
}

/** Every file under a folder, its bytes as Latin-1. */
export function filesUnder(folder: string): readonly { readonly name: string; readonly text: string }[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? [{ name: entry.name, text: readFileSync(join(entry.parentPath, entry.name), "latin1") }] : [],
  );
}

/** The id of the run that events as JSON tell of first. */
export function runIn(events: string): string {
  const [, run] = /"run":"([^"]+)"/.exec(events) ?? [];
  if (run === undefined) throw new Error(`no run in: ${events}`);
  return run;
}
