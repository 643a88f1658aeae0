import type { Node } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";

type Environment = Readonly<Record<string, string>>;

const ofTheRun = /^TRAMMEL_(?:INPUT_.+|RUN|NODE|TASK_ID)$/;

/** Whether the run or the node binds the variable. */
export function isBound({ env, secrets }: Node, name: string): boolean {
  return ofTheRun.test(name) || Object.hasOwn(env ?? {}, name) || (secrets ?? []).includes(name);
}

/** Values that are too large for a variable and wait in files: path by name of the variable that is unset for it. */
export function largeValues(node: Node, all: Environment): Environment {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, path]) => {
      const whole = name.endsWith("_FILE") ? name.slice(0, -"_FILE".length) : "";
      return !Object.hasOwn(all, whole) && isBound(node, whole) ? [[whole, path]] : [];
    }),
  );
}

/** A command of a shell that reads such a variable and does not know of its file would take nothing for the value. */
export function readingNothing(command: string, large: Environment): NodeResult | null {
  const name = Object.keys(large).find(
    (each) => new RegExp(`\\$\\{?${each}(?![A-Za-z0-9_])`).test(command) && !command.includes(`${each}_FILE`),
  );
  if (name === undefined) return null;
  const text = `the value of ${name} is too large for a variable; it is in the file $${name}_FILE, or bind it to stdin`;
  return { outcome: "error", reason: { code: "could_not_start", text } };
}
