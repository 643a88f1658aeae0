import { basename } from "node:path";
import type { SimpleCommand, Word } from "./command.ts";
import { gitReaders, gitShow, takesNextOfGit } from "./git-shows.ts";
import { type LeftOut, leftOutOf } from "./grep-globs.ts";

/** What a command goes through, folder by folder. */
export interface Descent {
  /** Words that may name where it begins. */
  readonly from: readonly Word[];
  /** Where none of them names anything, it begins in the working folder. */
  readonly here: boolean;
  /** Passes by what git ignores, unless it is named. */
  readonly keepsToGit: boolean;
  readonly followsLinks: boolean;
  /** Where no word names where it begins, it goes through the whole tree, wherever it is started. */
  readonly wholeTree?: true;
  readonly leftOut?: LeftOut;
}

interface Program {
  /** A short or long option without which it goes through no folder. */
  readonly needs?: RegExp;
  /** Its first operand is a pattern. */
  readonly pattern?: true;
  /** Begins in the working folder where nothing is named; `unpiped` where it is given nothing to read either. */
  readonly here?: "always" | "unpiped";
  /** Its last operand is where it writes. */
  readonly target?: true;
  readonly keepsToGit?: true;
  /** Takes `--exclude-dir` and its like. */
  readonly globs?: true;
}

const grep: Program = {
  needs: /^(?:-[a-zA-Z]*[rR]|--(?:dereference-)?recursive$|--directories=recurse$|-drecurse$)/,
  pattern: true,
  here: "always",
  globs: true,
};
const search: Program = { pattern: true, here: "unpiped", keepsToGit: true };
const copy: Program = { needs: /^(?:-[a-zA-Z]*[raR]|--(?:recursive|archive)$)/, target: true };

const zip: Program = { needs: /^(?:-[a-zA-Z]*r|--recurse-paths$)/ };
const named: Program = {};
const listed: Program = { here: "always" };
const moved: Program = { target: true };

const programs: Readonly<Record<string, Program>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rgrep: { pattern: true, here: "always", globs: true },
  rg: search,
  ag: search,
  ack: { pattern: true, here: "unpiped" },
  fd: { ...search, here: "always" },
  cp: copy,
  scp: copy,
  rsync: moved,
  mv: moved,
  diff: { needs: /^(?:-[a-zA-Z]*r|--recursive$)/ },
  find: listed,
  tree: listed,
  ls: { needs: /^(?:-[a-zA-Z0-9]*R|--recursive$)/, here: "always" },
  tar: named,
  bsdtar: named,
  zip,
  "git grep": { pattern: true, here: "always", keepsToGit: true },
};

const wrappers: ReadonlySet<string> = new Set(
  "command do elif else env exec if ionice nice nohup stdbuf sudo then time timeout until while xargs ! { (".split(" "),
);

const everything = /^(?:-[a-zA-Z.]*[uUI.H]|--(?:hidden|no-ignore.*|unrestricted|no-index|no-exclude-standard)$)/;
const patternGiven = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file)(?:=|$)|--files(?:$|-))/;
/** Options of programs with a pattern whose value is the next word. */
const takesNext =
  /^(?:-[a-zA-Z]*[ABCmgtTjMDef]|--(?:regexp|file|glob|iglob|type|include|exclude|exclude-dir|(?:after-|before-)?context|max-count|max-depth))$/;

/** Null for a command that is not known to go through folders. */
export function descentOf(words: SimpleCommand): Descent | null {
  const start = words.findIndex(({ text }) => !isPreface(text));
  const name = basename(words[start]?.text ?? "");
  const git = name === "git" ? subcommandAt(words, start + 1) : start;
  const subcommand = words[git]?.text ?? "";
  const key = name === "git" ? `git ${subcommand}` : name;
  const rest = words.slice(git + 1);
  const texts = rest.map(({ text }) => text);
  const options = texts.filter((text) => text.startsWith("-"));
  const show = name === "git" && !options.includes("--no-index") ? gitShow(subcommand, options) : undefined;
  if (show !== undefined)
    return { from: pathsOf(rest), here: true, wholeTree: true, keepsToGit: show.ignored !== true, followsLinks: false };
  const program = Object.hasOwn(programs, key) ? programs[key] : comparesAny(key, options);
  if (program === undefined) return null;
  if (program.needs !== undefined && !options.some((text) => program.needs?.test(text))) return null;
  if (key.endsWith("tar") && unpacks(rest)) return null;
  const piped = words.some((word) => word.piped === true);
  return {
    from: operandsOf(rest, key, program, options),
    here: program.here === "always" || (program.here === "unpiped" && !piped),
    keepsToGit: program.keepsToGit === true && !options.some((text) => everything.test(text)),
    followsLinks: options.some((text) => /^(?:-[a-zA-Z]*[RLh]|--(?:follow|dereference.*|copy-links))/.test(text)),
    ...(program.globs === true ? { leftOut: leftOutOf(texts) } : {}),
  };
}

/** `git diff --no-index` is a `diff -r`. */
function comparesAny(key: string, options: readonly string[]): Program | undefined {
  return key === "git diff" && options.includes("--no-index") ? named : undefined;
}

/** Operands of git that may be paths; after `--` all are. */
function pathsOf(rest: readonly Word[]): readonly Word[] {
  return rest.filter(({ text }, index) => !text.startsWith("-") && !takesNextOfGit.test(rest[index - 1]?.text ?? ""));
}

/** Whether a command is one of git that shows or takes up the files it is given. */
export function isGitReader(words: SimpleCommand): boolean {
  const start = words.findIndex(({ text }) => !isPreface(text));
  if (basename(words[start]?.text ?? "") !== "git") return false;
  return gitReaders.has(words[subcommandAt(words, start + 1)]?.text ?? "");
}

/** The text that a shell is given to run; null where the command is none. */
export function shellText(words: SimpleCommand): string | null {
  const start = words.findIndex(({ text }) => !isPreface(text));
  if (!/^(?:ba|da|k|z)?sh$/.test(basename(words[start]?.text ?? ""))) return null;
  const at = words.findIndex(({ text }, index) => index > start && /^-[a-z]*c$/.test(text));
  return at < 0 ? null : (words[at + 1]?.text ?? null);
}

function isPreface(text: string): boolean {
  return wrappers.has(basename(text)) || /^(?:-|[A-Za-z_]\w*=|\d+(?:\.\d+)?[smhd]?$)/.test(text);
}

/** After options of git itself, some of which take the next word. */
function subcommandAt(words: SimpleCommand, from: number): number {
  let at = from;
  while (words[at]?.text.startsWith("-") === true) at += /^-[cC]$/.test(words[at]?.text ?? "") ? 2 : 1;
  return at;
}

function unpacks(rest: readonly Word[]): boolean {
  const first = rest[0]?.text ?? "";
  return rest.some(({ text }) => /^--(?:extract|get|list)$/.test(text)) || /^-?[a-zA-Z]*[xt]/.test(first);
}

function operandsOf(rest: readonly Word[], key: string, program: Program, options: readonly string[]): readonly Word[] {
  if (key === "find") {
    const roots = rest.slice(rest.findIndex(({ text }) => !/^-[HLP]$/.test(text)));
    const end = roots.findIndex(({ text }) => /^[-(!]/.test(text));
    return end < 0 ? roots : roots.slice(0, end);
  }
  const operands = rest.filter(
    ({ text }, index) =>
      !text.startsWith("-") && !(program.pattern === true && takesNext.test(rest[index - 1]?.text ?? "")),
  );
  if (program.pattern === true) return options.some((text) => patternGiven.test(text)) ? operands : operands.slice(1);
  const toNamed = key !== "rsync" && options.some((text) => /^(?:-[a-zA-Z]*t|--target-directory)/.test(text));
  return program.target === true && !toNamed ? operands.slice(0, -1) : operands;
}
