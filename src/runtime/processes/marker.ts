import type { ProcessIdentity } from "../../model/process-identity.ts";
import { self } from "./identity.ts";

/**
 * Variable that every child inherits through any number of forks and sessions: the words of the trees it belongs to,
 * outermost first (an engine that runs inside another's child adds its own word to what it inherited).
 */
export const custodyVariable = "TRAMMEL_CUSTODY";

let trees = 0;

/** A word no other tree on this machine has, that names its engine too: a later engine finds what a dead one left. */
export function newWord(): string {
  trees += 1;
  return `${engineWord(self())}.${trees}`;
}

/** What the variable must hold in a child that belongs to `word`. */
export function custodyOf(word: string): string {
  const inherited = process.env[custodyVariable];
  return inherited === undefined || inherited === "" ? word : `${inherited} ${word}`;
}

export function carriesWord(custody: string, word: string): boolean {
  return custody.split(" ").includes(word);
}

export function carriesEngine(custody: string, engine: ProcessIdentity): boolean {
  const prefix = `${engineWord(engine)}.`;
  return custody.split(" ").some((word) => word.startsWith(prefix));
}

function engineWord({ pid, startTime, bootId }: ProcessIdentity): string {
  return `${pid}.${startTime.replaceAll(/\W/g, "_")}.${bootId.slice(0, 8)}`;
}
