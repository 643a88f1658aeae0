import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { exitCodes } from "../../model/outcome.ts";
import { candidates } from "../completion/candidates.ts";
import { packageRoot } from "../documents/package-root.ts";
import type { World } from "../world.ts";

/** Prints what a shell sources to complete `trammel`. */
export function completion(world: World, shell: string): number {
  world.out.write(readFileSync(join(packageRoot(), "completions", `trammel.${shell}`), "utf8"));
  return exitCodes.ok;
}

/** Answers a shell: a line for each word that may stand last, and after a tab what it is. */
export async function complete(world: World, program: Command, words: readonly string[]): Promise<number> {
  for (const { value, about } of await candidates(program, words, world))
    world.out.write(about === "" ? `${value}\n` : `${value}\t${about}\n`);
  return exitCodes.ok;
}
