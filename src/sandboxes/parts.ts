import type { ProcessRunner, StartProcess } from "../ports/processes.ts";

/** What every driver works with. */
export interface DriverParts {
  readonly processes: ProcessRunner;
  readonly start: StartProcess;
  /** Absolute folder that holds the state of boxes and tells those of one data folder from another's. */
  readonly folder: string;
  /** Environment of the programs a driver runs on the host; none of it reaches a box. */
  readonly env: Readonly<Record<string, string>>;
}
