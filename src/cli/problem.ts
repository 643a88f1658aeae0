import { exitCodes } from "../model/outcome.ts";
import { inert } from "../views/inert.ts";
import type { World } from "./world.ts";

/** Why a command did not do what was asked, as one sentence and what to do next. */
export interface Problem {
  readonly exit: number;
  readonly message: string;
  readonly hint?: string;
}

export function usage(message: string, hint?: string): Problem {
  return { exit: exitCodes.usage, message, ...(hint === undefined ? {} : { hint }) };
}

/** Prints the problem and answers its exit code. */
export function report(world: World, problem: Problem): number {
  // Each line of a message that is not indented is a problem of its own.
  world.err.write(`${inert(problem.message).replaceAll(/^(?=\S)/gm, "trammel: ")}\n`);
  if (problem.hint !== undefined) world.err.write(`  ${inert(problem.hint)}\n`);
  return problem.exit;
}

export function isProblem(value: object): value is Problem {
  return "exit" in value && "message" in value;
}
