import { writeSync } from "node:fs";
import { exitCodes } from "../model/outcome.ts";

const message = `trammel: internal error: this process was ended before its command had
  An error that nothing caught did that, or what called process.exit, such as a plug-in. What was recorded stands: trammel runs
`;

function unforeseen(): void {
  process.exitCode = exitCodes.internal;
  try {
    writeSync(2, message);
  } catch {
    // Nobody reads it; the exit code tells.
  }
}

/**
 * From here on any end of this process but by `end` has the exit code of a
 * bug: what has not been finished is no success.
 */
export function guardEnd(): void {
  process.once("exit", unforeseen);
}

export function end(code: number): never {
  process.off("exit", unforeseen);
  process.exit(code);
}
