import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "../../model/limits.ts";

export function isTerminal(input: Readable): boolean {
  return "isTTY" in input && input.isTTY === true;
}

/**
 * Drops the lines that were typed at a terminal before a question stands there: they are no answer to it. False where
 * the input has ended.
 */
export async function dropTypedAhead(input: Readable): Promise<boolean> {
  let quietTurns = 0;
  let hasEnded = false;
  const heard = (): void => void (quietTurns = 0);
  const end = (): void => void (hasEnded = true);
  input.on("data", heard).on("end", end).on("error", end);
  // The system hands over a line a turn; one turn goes by before it is asked for the first.
  for (let turns = 0; turns < limits.typedAheadTurns && quietTurns < limits.quietTurns && !hasEnded; turns += 1) {
    quietTurns += 1;
    await nextTurn();
  }
  input.off("data", heard).off("end", end).off("error", end).pause();
  return !hasEnded;
}
