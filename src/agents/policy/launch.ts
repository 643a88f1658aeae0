import type { SimpleCommand, Word } from "./command.ts";

/** They start what follows them. */
const wrappers = named(
  "busybox chroot chrt command doas env eval exec flock ionice nice nohup nsenter parallel proot script setpriv setsid source ssh " +
    "stdbuf strace su sudo time timeout toybox trap unshare unbuffer watch xargs .",
);

const shells = named("ash bash csh dash elvish fish ksh mksh nu pwsh sh tcsh xonsh zsh");

/** By interpreter, how an argument that is code begins. */
const code: ReadonlyMap<string, RegExp> = new Map([
  ...entries("awk gawk mawk nawk", /^-[fiE]|system\s*\(|getline|[|>]/),
  ...entries("bun deno", /^(?:-e|-p|--eval|--print|eval)/),
  ...entries("lua luajit osascript", /^-e/),
  ...entries(
    "node nodejs tsx ts-node",
    /^(?:-[a-z]*[ep]|--eval|--print|-r|--require|--import|--loader|--experimental-loader)/,
  ),
  ...entries("perl ruby", /^-[a-z0-9]*[eErMI]/),
  ...entries("php", /^(?:-[rBRE]|--run|--process)/),
  ...entries("python python2 python3 pypy pypy3", /^-[A-Za-z]*c/),
]);

/** By program, the words with which it starts another one, or makes one be started later. */
const handing: ReadonlyMap<string, RegExp> = new Map([
  ...entries("ed ex gdb less lldb more nvim psql scp sqlite3 ssh-keygen vi vim", /^(?:-[A-Za-z]|--c|\+|[!.])|\\!/),
  ...entries("fd fdfind", /^(?:-[a-zA-Z]*[xX]|--exec)/),
  ...entries("find", /^-(?:exec|ok|delete|fprint|fls)/),
  ...entries(
    "git",
    /^(?:-c|-x|-O.*|--config(?:-env)?(?:=.*)?|--exec(?:-path)?(?:=.*)?|--ext-diff|--open-files-in-pager.*|--output.*|--receive-pack.*|--textconv|--upload-pack.*|bisect|config|difftool|filter-branch|foreach|hook|mergetool)$/,
  ),
  ...entries("go", /^--?(?:exec|toolexec|vettool)(?:=|$)/),
  ...entries("make gmake", /^(?:-[a-zA-Z]*[fE]|[A-Za-z_.]\w*[:?+!]*=)/),
  ...entries("man", /^-[a-zA-Z]*[PH]/),
  ...entries("curl", /^(?:-[a-zA-Z]*[oOK]|--output|--remote-name|--config)/),
  ...entries("rg", /^--(?:pre|hostname-bin)/),
  ...entries("rsync", /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/),
  ...entries(
    "sed",
    /^(?:-[a-zA-Z]*[if]|--in-place|--file)|(?:^|[;{}\d$\s])[ewW](?:\s|$)|[^\w\s\\][gpiImM\d]*[ewW](?:[\s;}]|$)/,
  ),
  ...entries("sort", /^(?:-o|--output|--compress-program)/),
  ...entries(
    "tar",
    /^(?:-[a-zA-Z]*[IF]|--(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script))/,
  ),
  ...entries("wget", /^(?:-[a-zA-Z]*[OPe]|--output-document|--directory-prefix|--execute|--use-askpass)/),
  ...entries("zip", /^(?:-TT|--unzip-command)/),
]);

/**
 * By program, the long options of those that can be cut short, as most programs let one do (`--filt` is `--filter`).
 */
const longOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ...optionsOf("git", "config config-env exec exec-path open-files-in-pager output receive-pack upload-pack"),
  ...optionsOf("man", "pager html"),
  ...optionsOf("rsync", "rsh rsync-path"),
  ...optionsOf("sed", "file in-place"),
  ...optionsOf("sort", "compress-program output"),
  ...optionsOf("split", "filter"),
  ...optionsOf("tar", "checkpoint-action info-script new-volume-script rsh-command to-command use-compress-program"),
  ...optionsOf("wget", "execute output-document directory-prefix use-askpass"),
  ...optionsOf("zip", "unzip-command"),
  ...optionsOf("make gmake", "eval file makefile"),
  ...optionsOf("cargo", "config"),
  ...optionsOf("npm npx pnpm yarn", "script-shell"),
]);

/** Options that are whole, though another begins as they do. */
const whole = named("--checkpoint --output-file --text");

/**
 * Whether a command, beyond its first `stated` words, starts another program or runs code, so that whoever let its
 * beginning through has not said so. A pattern of the shell may become any of the words that do.
 */
export function handsOver(command: SimpleCommand, stated: number): boolean {
  const name = baseName(command[0]);
  const more = command.slice(stated);
  if (wrappers.has(name)) return stated < 2 && more.length > 0;
  if (shells.has(name)) return stated < 2;
  const pattern = code.get(name) ?? handing.get(name);
  const long = longOptions.get(name) ?? [];
  if (name === "tar" && stated === 1 && /^[A-Za-z]*[IF]/.test(more[0]?.text ?? "")) return true;
  if (pattern !== undefined && more.some((word) => word.open || pattern.test(word.text))) return true;
  return more.some(({ text }) => isShortOf(text, long));
}

function isShortOf(word: string, long: readonly string[]): boolean {
  const option = word.replace(/=.*$/s, "");
  return option.length > 2 && !whole.has(option) && long.some((one) => one.startsWith(option));
}

/**
 * Whether a command runs code that is not there to be read: text of another language, or whatever comes through a pipe.
 */
export function runsUnread(command: SimpleCommand): boolean {
  const name = baseName(command[0]);
  const words = command.slice(1);
  const pattern = code.get(name);
  if (pattern === undefined && !shells.has(name)) return false;
  if (words.some(({ text }) => pattern?.test(text))) return true;
  return words.every(({ text }) => text.startsWith("-") && !/^(?:-[hvV]|--help|--version)$/.test(text));
}

/** `/usr/bin/git` is `git`, and so is `git` under a version (`python3.12`). */
function baseName(word: Word | undefined): string {
  const text = word?.text ?? "";
  return text
    .slice(text.lastIndexOf("/") + 1)
    .replace(/(?<=[a-z])[.\d]*\.\d+$/, (version) => version.replace(/\..*$/, ""));
}

function named(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

function optionsOf(list: string, options: string): readonly (readonly [string, readonly string[]])[] {
  const long = options.split(" ").map((option) => `--${option}`);
  return list.split(" ").map((name) => [name, long] as const);
}

function entries(list: string, pattern: RegExp): readonly (readonly [string, RegExp])[] {
  return list.split(" ").map((name) => [name, pattern] as const);
}
