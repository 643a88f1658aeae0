import type { AgentPolicy } from "../../model/agent-settings.ts";
import type { ToolAccess } from "../../ports/tool.ts";
import { simpleCommands, type SimpleCommand, type Word } from "./command.ts";
import { handsOver, runsUnread } from "./launch.ts";

/** What a model asks to do; `command` is the shell text where the tool runs one. */
export interface Asked {
  readonly tool: string;
  readonly access: ToolAccess;
  readonly command: string | null;
  /** Whether there is a tool of that name: a rule that is one is about the tool, never about a command. */
  isTool(name: string): boolean;
}

export type Verdict =
  | { readonly verdict: "allowed" }
  | { readonly verdict: "denied"; readonly why: string }
  | { readonly verdict: "ask" };

const allowed: Verdict = { verdict: "allowed" };

/**
 * Whether a policy lets a call through. A rule of `allow` and `deny` is a tool's name (`*` stands for any part of it)
 * or else the beginning of a command (`npm test`), and `deny` wins.
 *
 * A command is on the allow list only if each of its simple commands begins with a rule, and goes on
 * without starting another program that the rule does not state (`find -exec`, `git -c`, `xargs`, `sh
 * -c`). It is on the deny list if the words of a rule occur in it in order, wherever that is (`sudo git
 * push`, `git -C x push`, `sh -c 'git push'`). What cannot be read with certainty is never on the allow
 * list and, where a rule could deny a command, always on the deny list.
 *
 * Beside the lists: `read_only` leaves reading, `ask` asks for everything else, `allow_all` allows all but, with an
 * `allow` list, only what is on it (and reading).
 */
export function judge(policy: AgentPolicy, asked: Asked): Verdict {
  const deny = policy.deny ?? [];
  const allow = policy.allow ?? [];
  const commandRules = (rules: readonly string[]): readonly string[] => rules.filter((rule) => !asked.isTool(rule));
  const denying = deny.find((rule) => namesTool(rule, asked.tool));
  if (denying !== undefined) return denied(`the policy denies "${denying}"`);
  const why = commandDenied(commandRules(deny), asked.command);
  if (why !== null) return denied(why);
  if (asked.access === "command" && policy.network === false) {
    return denied("the policy has network: false, which only a sandbox can hold a command to");
  }
  if (allow.some((rule) => namesTool(rule, asked.tool)) || commandAllowed(commandRules(allow), asked.command))
    return allowed;
  if (asked.access === "read") return allowed;
  switch (policy.mode) {
    case "allow_all":
      return allow.length === 0 ? allowed : denied("it is not on the policy's allow list");
    case "read_only":
      return denied("the policy is read_only");
    case "ask":
      return { verdict: "ask" };
  }
}

function denied(why: string): Verdict {
  return { verdict: "denied", why };
}

/** One regular expression for each word of the rule. */
type Rule = readonly RegExp[];

function namesTool(rule: string, tool: string): boolean {
  const [name, ...more] = patternsOf(rule);
  return name !== undefined && more.length === 0 && name.test(tool);
}

function commandAllowed(rules: readonly string[], command: string | null): boolean {
  if (command === null || rules.length === 0) return false;
  const commands = simpleCommands(command);
  if (commands === null) return false;
  const patterns = rules.map(patternsOf);
  return commands.every((simple) => patterns.some((rule) => beginsWith(simple, rule)));
}

function beginsWith(command: SimpleCommand, rule: Rule): boolean {
  if (rule.length === 0 || !rule.every((pattern, index) => isCertain(command[index], pattern))) return false;
  return !handsOver(command, rule.length);
}

function isCertain(word: Word | undefined, pattern: RegExp): boolean {
  return word !== undefined && !word.open && pattern.test(word.text);
}

/** Why a command is denied, or null. */
function commandDenied(rules: readonly string[], command: string | null): string | null {
  if (command === null || rules.length === 0) return null;
  const commands = simpleCommands(command);
  if (commands === null)
    return "the policy denies some commands, and this one is too involved to tell; use plain words, quotes and pipes";
  if (commands.some(runsUnread))
    return "the policy denies some commands, and this one runs code that cannot be read; put it into a file of its own, or say it in plain commands";
  const rule = rules.find((candidate) => commands.some((simple) => occursIn(simple, patternsOf(candidate))));
  return rule === undefined ? null : `the policy denies "${rule}"`;
}

function occursIn(command: SimpleCommand, rule: Rule): boolean {
  let next = 0;
  for (const word of command) {
    const pattern = rule[next];
    if (pattern === undefined) break;
    if (word.open || pattern.test(word.text) || (next === 0 && pattern.test(baseName(word.text)))) next += 1;
  }
  if (rule.length > 0 && next === rule.length) return true;
  // A word that holds blanks may be a command for another shell.
  return command.some((word) => /\s/.test(word.text) && nestedOccurs(word.text, rule));
}

function nestedOccurs(text: string, rule: Rule): boolean {
  const commands = simpleCommands(text);
  if (commands !== null) return commands.some((simple) => occursIn(simple, rule));
  // Not certain to be a command, e.g. a commit message: denied where all words of the rule are in it.
  const words = text.split(/[^\w./-]+/);
  return rule.length > 0 && rule.every((pattern) => words.some((word) => pattern.test(word)));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `*` stands for any characters of a word. */
function patternsOf(rule: string): Rule {
  const words = rule.split(/\s+/).filter((word) => word !== "");
  return words.map((word) => {
    const literals = word.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${literals.join(".*")}$`, "s");
  });
}
