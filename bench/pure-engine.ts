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
  readonly ms: number;
  readonly starts: number;
  /** JSON of all events. */
  readonly bytes: number;
}

/** Compiles and runs a blueprint whose every node succeeds at once: the engine alone, without a journal and without performers. */
export function runPure(blueprint: Blueprint): PureRun {
  const log: (readonly EventBody[])[] = [];
  const from = performance.now();
  const state = initial(compile(blueprint), {});
  const inbox: EventBody[] = [started];
  for (let event = inbox.shift(); event !== undefined; event = inbox.shift()) {
    const { events, commands } = advance(state, [event], 0);
    log.push(events);
    for (const command of commands) {
      if (command.type !== "perform") continue;
      const { node, pass, attempt } = command;
      inbox.push({ type: "node.ended", node, pass, attempt, result: { outcome: "success" } });
    }
  }
  const ms = performance.now() - from;
  const all = log.flat();
  const end = all.at(-1);
  if (end?.type !== "run.finished" || end.status !== "succeeded") throw new Error(`ended with ${JSON.stringify(end)}`);
  return { ms, starts: all.filter(({ type }) => type === "node.started").length, bytes: JSON.stringify(all).length };
}
