import { exitCodes } from "../model/outcome.ts";
import type { Refusal } from "../runtime/api.ts";
import { escaped } from "../views/inert.ts";
import type { World } from "./world.ts";

/** Why a command did not do what was asked, as sentences, and what to do next. */
export interface Problem {
  readonly exit: number;
  readonly message: string;
  /** Further problems, as sentences of their own. */
  readonly also?: readonly string[];
  /** What stands behind the message, a line each. */
  readonly details?: readonly string[];
  readonly hint?: string;
}

/** Of several messages each is a problem of its own. */
export function usage(messages: string | readonly string[], hint?: string): Problem {
  const [message = "", ...also] = typeof messages === "string" ? [messages] : messages;
  return {
    exit: exitCodes.usage,
    message,
    ...(also.length === 0 ? {} : { also }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Prints the problem and answers its exit code. */
export function report(world: World, { exit, message, also = [], details = [], hint }: Problem): number {
  const under = hint === undefined ? details : [...details, hint];
  const lines = [
    ...[message, ...also].map((one) => `trammel: ${escaped(one)}`),
    ...under.map((one) => `  ${escaped(one)}`),
  ];
  world.err.write(`${lines.join("\n")}\n`);
  return exit;
}

/** Prints why a run was not begun or gone on with, and answers the exit code. */
export function refuse(world: World, refusal: Refusal): number {
  const exit = refusal.refused === "unavailable" ? exitCodes.unavailable : exitCodes.usage;
  return report(world, { ...refusal, exit });
}

export function isProblem(value: object): value is Problem {
  return "exit" in value && "message" in value;
}
