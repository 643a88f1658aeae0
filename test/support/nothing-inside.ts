import type { ChildRuns } from "../../src/ports/performer.ts";

/** For performers of nodes in which nothing runs. */
export const nothingInside: ChildRuns = {
  call: () => Promise.reject(new Error("nothing runs inside here")),
  item: () => Promise.reject(new Error("nothing runs inside here")),
  usage: () => undefined,
};
