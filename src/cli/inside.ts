import { hasProcfs, readStat, readVariable } from "../runtime/processes/procfs.ts";
import { isProblem, type Problem, usage } from "./problem.ts";
import { findRun, openStoreToRead } from "./store/stored-run.ts";
import type { World } from "./world.ts";

/** Whether this command was started by a node of a run: an agent that decided about itself would need nobody else. */
export function isInside({ env }: Pick<World, "env">): boolean {
  return inner.some((name) => (env[name] ?? "") !== "");
}

const inner = ["TRAMMEL_RUN", "TRAMMEL_NODE"] as const;

/**
 * Why a decision that is a person's is not taken here, or null. Where this command's own variables
 * were taken away, those that its ancestors were started with tell, as far as they lead to a run of
 * this store (a test of Trammel may run in a run of another).
 */
export async function decidedInside(world: World): Promise<Problem | null> {
  const { TRAMMEL_RUN: run = "", TRAMMEL_NODE: node = "" } = world.env;
  if (isInside(world)) return refusal(run, node);
  const above = [...ancestors()].filter(({ run }) => run !== "");
  if (above.length === 0) return null;
  const journal = await openStoreToRead(world);
  try {
    const found = above.find((one) => !isProblem(findRun(journal, one.run)));
    return found === undefined ? null : refusal(found.run, found.node);
  } finally {
    await journal.close();
  }
}

function refusal(run: string, node: string): Problem {
  return usage(
    `a decision is not taken from inside a run, and this is node ${node} of run ${run}`,
    "A person decides, in a shell that no node started.",
  );
}

/** What the processes above this one were started with; nothing without /proc. */
function* ancestors(): Generator<{ readonly run: string; readonly node: string }> {
  if (!hasProcfs) return;
  for (let pid = process.ppid; pid > 1; pid = readStat(pid)?.parent ?? 0)
    yield { run: readVariable(pid, "TRAMMEL_RUN") ?? "", node: readVariable(pid, "TRAMMEL_NODE") ?? "" };
}
