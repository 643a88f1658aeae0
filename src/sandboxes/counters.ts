import type { SandboxLimitName, SandboxResult } from "../ports/sandbox.ts";

/** How often a box has met its limits since it was made. */
export interface Counters {
  readonly memory: number;
  readonly pids: number;
}

export const noneMet: Counters = { memory: 0, pids: 0 };

/** Lines `memory N` and `pids N`; of a kind that comes twice, the higher counts. */
export function readCounters(text: string): Counters {
  const of = (name: string): number =>
    Math.max(0, ...[...text.matchAll(new RegExp(`^${name} (\\d+)$`, "gm"))].map(([, value]) => Number(value)));
  return { memory: of("memory"), pids: of("pids") };
}

/** Which limit was met between two looks; memory first, for it ends processes. */
export function limitMet(before: Counters, after: Counters, values: Counters): Pick<SandboxResult, "limit"> {
  const names: readonly (SandboxLimitName & keyof Counters)[] = ["memory", "pids"];
  const name = names.find((one) => after[one] > before[one]);
  return name === undefined ? {} : { limit: { name, value: values[name] } };
}
