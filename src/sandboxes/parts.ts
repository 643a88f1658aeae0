import path from "node:path";
import type { ProcessRunner, StartProcess } from "../ports/processes.ts";

/** What every driver works with. */
export interface DriverParts {
  readonly processes: ProcessRunner;
  readonly start: StartProcess;
  /** Absolute folder of all state, which no box may see; it tells boxes of one data folder from those of another. */
  readonly home: string;
  /** Environment of the programs a driver runs on the host; none of it reaches a box. */
  readonly env: Readonly<Record<string, string>>;
}

/** Where the state of boxes is kept. */
export function sandboxFolder({ home }: Pick<DriverParts, "home">): string {
  return path.join(home, "sandboxes");
}
