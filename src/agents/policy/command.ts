import { limits } from "../../model/limits.ts";

/**
 * A word after quote removal. `open` where a pattern in it is expanded by
 * the shell, so that what it becomes is not known.
 */
export interface Word {
  readonly text: string;
  readonly open: boolean;
  /** It is the program of a command that reads what another one prints. */
  readonly piped?: true;
}

/** The words of one simple command, the program first. */
export type SimpleCommand = readonly Word[];

/** Words after which the shell reads a compound command, or takes the next word for something else. */
const reserved: ReadonlySet<string> = new Set(
  "! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);

/** Redirections that touch no file. */
const harmless = /^(?:[0-9]?>&[0-9]|[0-9]?>{1,2} ?\/dev\/null|&> ?\/dev\/null)(?=$|[\s;&|])/;

/**
 * Every simple command of a shell text: each member of each pipe and list. Understands words, quotes, escapes, `| || &&
 * ; &` and redirections that touch no file. Anything else (expansions, substitutions, subshells, compound commands,
 * assignments, redirections to files, here-documents, comments) is null: a reader that must be sure cannot be.
 */
export function simpleCommands(text: string): readonly SimpleCommand[] | null {
  if (text.length > limits.commandCharacters || text.includes("\0")) return null;
  const scanner: Scanner = { text, at: 0, commands: [], words: [], piped: false };
  while (scanner.at < text.length) {
    if (!step(scanner)) return null;
  }
  if (!endCommand(scanner, true)) return null;
  return scanner.commands.length === 0 ? null : scanner.commands;
}

interface Scanner {
  readonly text: string;
  at: number;
  readonly commands: SimpleCommand[];
  words: Word[];
  piped: boolean;
}

function step(scanner: Scanner): boolean {
  const { text, at } = scanner;
  const rest = text.slice(at, at + 32);
  const redirection = harmless.exec(rest);
  if (redirection !== null) {
    scanner.at += redirection[0].length;
    return true;
  }
  const blank = /^(?:[ \t]+|\\\n)/.exec(rest);
  if (blank !== null) {
    scanner.at += blank[0].length;
    return true;
  }
  const operator = /^(?:\|\||&&|\|&|[|;&\n])/.exec(rest);
  if (operator !== null) {
    scanner.at += operator[0].length;
    // A blank line, or the end of a list, has no command before it; a pipe must have one.
    const ended = endCommand(scanner, operator[0] === "\n");
    scanner.piped = operator[0] === "|" || operator[0] === "|&" || (scanner.piped && operator[0] === "\n");
    return ended;
  }
  const word = readWord(text, at);
  if (word === null) return false;
  scanner.at = word.end;
  const piped = scanner.piped && scanner.words.length === 0;
  scanner.words.push({ text: word.text, open: word.open, ...(piped && { piped }) });
  return true;
}

function endCommand(scanner: Scanner, mayBeEmpty: boolean): boolean {
  const [program] = scanner.words;
  if (program === undefined) return mayBeEmpty;
  if (program.open || reserved.has(program.text) || /^[A-Za-z_]\w*\+?=/.test(program.text)) return false;
  scanner.commands.push(scanner.words);
  scanner.words = [];
  return true;
}

function readWord(
  text: string,
  from: number,
): { readonly text: string; readonly open: boolean; readonly end: number } | null {
  let value = "";
  let open = false;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (/[ \t\n;&|]/.test(character)) break;
    if (/[$`()<>]/.test(character) || (character === "#" && at === from)) return null;
    if (character === "'") {
      const close = text.indexOf("'", at + 1);
      if (close < 0) return null;
      value += text.slice(at + 1, close);
      at = close + 1;
    } else if (character === '"') {
      const quoted = /^"((?:[^"\\$`]|\\["\\$`])*)"/.exec(text.slice(at));
      if (quoted === null) return null;
      value += (quoted[1] ?? "").replace(/\\(["\\$`])/g, "$1");
      at += quoted[0].length;
    } else if (character === "\\") {
      if (at + 1 >= text.length || text.charAt(at + 1) === "\n") return null;
      value += text.charAt(at + 1);
      at += 2;
    } else {
      if (/[*?[\]{}!]/.test(character) || (character === "~" && at === from)) open = true;
      value += character;
      at += 1;
    }
  }
  return { text: value, open, end: at };
}
