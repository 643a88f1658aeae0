import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { limits } from "../../model/limits.ts";
import { nameBytes, nameText } from "../tree/names.ts";

export interface GitOptions {
  /** Absolute. */
  readonly cwd: string;
  /** Variables of Git in it are left out, but those with settings of the user. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables of Git for this call. */
  readonly set?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** `limits.gitCommandMs` when absent. */
  readonly timeoutMs?: number;
}

/** Git said no. `message` is what it wrote last, on one line. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  /** It was ended, since it took too long. */
  readonly isSlow: boolean;

  constructor(message: string, isSlow = false) {
    super(message);
    this.isSlow = isSlow;
  }
}

/**
 * Nothing that a repository names as a program may run on the engine's behalf. A name that another process writes at
 * the moment is waited for.
 */
const inert: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["diff.external", ""],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["core.filesRefLockTimeout", `${limits.gitLockMs}`],
  ["core.packedRefsTimeout", `${limits.gitLockMs}`],
];

/** A ref, and a record of the journal, names an object only once it is on the disk. */
const durable: readonly (readonly [string, string])[] = [
  ["core.fsync", "committed,loose-object"],
  ["core.fsyncMethod", "batch"],
];

const settings: readonly string[] = [...inert, ...durable].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

/** Runs one Git command without hooks and answers what it wrote; rejects with {@link GitFailure}. */
export async function git(
  args: readonly string[],
  { cwd, env, set, input, timeoutMs = limits.gitCommandMs }: GitOptions,
): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const child = spawn("git", [...settings, ...args], {
    cwd,
    env: { ...withoutGit(env), ...quiet, ...set },
    signal,
  });
  child.stdin.on("error", () => undefined); // it ended without reading all of it, and says why itself
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    const giveUp = (): void => {
      reject(new GitFailure(`git ${args[0]} took more than ${timeoutMs / 1000} s`, true));
      // What it started, such as a filter, may hold them open for good.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    child.once("error", (error) => {
      if (error.name !== "AbortError") reject(new GitFailure(`git cannot be run: ${error.message}`));
    });
    // What is ended for its slowness writes until it is gone.
    child.once("exit", () => (signal.aborted ? giveUp() : signal.addEventListener("abort", giveUp)));
    child.once("close", resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  if (code === 0) return stdout;
  const said = lastWords(stderr.toString());
  throw new GitFailure(said === "" ? `git ${args[0]} ended with ${code ?? "a signal"}` : said);
}

/** As {@link git}: text without the newline at its end. */
export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  return (await git(args, options)).toString().replace(/\n$/, "");
}

/**
 * What Git gave up with and all that it says about it; the error before it, where what it gave up with only says that
 * something failed.
 */
function lastWords(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const last = lines.findLastIndex((line) => line.startsWith("fatal: "));
  if (last < 0) return (lines.at(-1) ?? "").replace(/^error: /, "");
  const fatal = lines.slice(last).join(" ").slice("fatal: ".length);
  const before = lines[last - 1] ?? "";
  return before.startsWith("error: ") ? `${before.slice("error: ".length)} (${fatal})` : fatal;
}

/** Paths that Git wrote with `-z`, as {@link nameText}. */
export function pathsOf(output: Buffer): readonly string[] {
  if (isUtf8(output)) return output.toString().split("\0").slice(0, -1);
  const paths: string[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    paths.push(nameText(output.subarray(at, end)));
  return paths;
}

/** As Git reads paths with `-z`. */
export function pathInput(paths: readonly string[]): Buffer {
  return nameBytes(paths.map((path) => `${path}\0`).join(""));
}

/** An object is what it is called, whatever is said to stand for it (`git replace`). */
const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_NO_REPLACE_OBJECTS: "1", LC_ALL: "C" };

/** What a hook that started Trammel inherited points to another place; where the settings of the user are stays. */
function withoutGit(env: GitOptions["env"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || /^GIT_CONFIG_(?!PARAMETERS$)/.test(name)),
  );
}
