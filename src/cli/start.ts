import { isatty } from "node:tty";
import { exitCodes } from "../model/outcome.ts";
import type { ScratchFailure } from "../runtime/scratch/scratch.ts";
import type { StoreUnavailable } from "../ports/journal.ts";
import { end, guardEnd } from "./ending.ts";
import { output } from "./output.ts";
import { report, usage } from "./problem.ts";
import type { SetupProblem } from "./services.ts";
import type { World } from "./world.ts";

/** Runs the command line once in this process and ends it with the command's exit code. */
export async function start(argv: readonly string[], compose: World["compose"]): Promise<void> {
  guardEnd();
  const cwd = workingFolder();
  const world: World = {
    out: output(process.stdout, process.env),
    err: output(process.stderr, process.env),
    env: process.env,
    cwd: cwd ?? "/",
    interactive: isatty(0) && isatty(2),
    compose,
  };
  const code =
    cwd === null
      ? report(world, usage(folderGone, "Change to a folder that does, and try again."))
      : await outcome(argv, world);
  await world.out.flush();
  const ended = code === exitCodes.ok ? complete(world) : code;
  await world.err.flush();
  end(ended);
}

const folderGone = "the folder this was started in does not exist any more, or may not be entered";

/** Null where the system cannot name it. */
function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** A success whose result is lost is none. */
function complete(world: World): number {
  const fault = world.out.fault();
  if (fault === null) return exitCodes.ok;
  return report(world, { exit: exitCodes.failed, message: `standard output cannot be written: ${fault}` });
}

async function outcome(argv: readonly string[], world: World): Promise<number> {
  try {
    const { execute } = await import("./program/program.ts");
    return await execute(argv, world);
  } catch (error) {
    if (isUnavailable(error))
      return report(world, { exit: exitCodes.unavailable, message: error.message, hint: error.hint });
    if (isOfSetup(error)) return report(world, usage(error.problems, error.hint));
    if (isOfScratch(error)) return report(world, usage(error.message, error.hint));
    // A bug: everything that the world does wrong comes as a value.
    const text = error instanceof Error ? (world.env["TRAMMEL_DEBUG"] ? error.stack : error.message) : String(error);
    world.err.write(
      `trammel: internal error: ${text ?? "unknown"}\n  Please report it; TRAMMEL_DEBUG=1 shows where it happened.\n`,
    );
    return exitCodes.internal;
  }
}

/** By name, so that commands without a store do not load what opens one. */
function isUnavailable(error: unknown): error is StoreUnavailable {
  return error instanceof Error && error.name === "StoreUnavailable";
}

/** By name, as well. */
function isOfSetup(error: unknown): error is SetupProblem {
  return error instanceof Error && error.name === "SetupProblem";
}

/** By name, as well. */
function isOfScratch(error: unknown): error is ScratchFailure {
  return error instanceof Error && error.name === "ScratchFailure";
}
