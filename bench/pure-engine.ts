import { check } from "../src/check/check.ts";
import { advance } from "../src/engine/advance.ts";
import { initial } from "../src/engine/state.ts";
import { compile } from "../src/graph/plan.ts";
import type { Blueprint } from "../src/model/blueprint.ts";
import type { EventBody, RunStarted } from "../src/model/events.ts";

export function blueprintOf(text: string): Blueprint {
  const { blueprint, diagnostics } = check(text, {});
  if (blueprint === null) throw new Error(`the checker refuses it: ${JSON.stringify(diagnostics[0])}`);
  return blueprint;
}

const started: RunStarted = {
  type: "run.started",
  taskId: "bench",
  task: "",
  blueprint: "bench",
  contentHash: "",
  bindingHash: "",
  inputs: {},
  cwd: "/",
  owner: { pid: 1, startTime: "1", bootId: "bench" },
};

export interface PureRun {
  readonly starts: number;
  /** JSON of all events. */
  readonly bytes: number;
}

/**
 * Compiles and runs a blueprint whose every node succeeds at once: the engine
 * alone, without a journal and without performers.
 */
function run(blueprint: Blueprint, take: (events: readonly EventBody[]) => void): void {
  const state = initial(compile(blueprint));
  let due: EventBody[] = [started];
  while (due.length > 0) {
    const next: EventBody[] = [];
    for (const event of due) {
      const { events, commands } = advance(state, [event], 0);
      take(events);
      for (const command of commands) {
        if (command.type !== "perform") continue;
        const { node, pass, attempt } = command;
        next.push({ type: "node.ended", node, pass, attempt, result: { outcome: "success" } });
      }
    }
    due = next;
  }
}

export function pureRun(blueprint: Blueprint): PureRun {
  const events: EventBody[] = [];
  run(blueprint, (some) => void events.push(...some));
  const end = events.at(-1);
  if (end?.type !== "run.finished" || end.status !== "succeeded") throw new Error(`ended with ${JSON.stringify(end)}`);
  return { starts: events.filter(({ type }) => type === "node.started").length, bytes: JSON.stringify(events).length };
}

/**
 * Microseconds of this thread's processor time for one run; the kernel counts
 * in ticks, so that many runs are measured at once.
 */
export function pureTime(blueprint: Blueprint): number {
  const runs = Math.ceil(100_000 / blueprint.edges.length);
  const before = process.threadCpuUsage();
  for (let n = 0; n < runs; n++) run(blueprint, () => undefined);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / runs;
}
