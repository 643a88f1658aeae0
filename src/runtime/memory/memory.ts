import { reduce } from "../../engine/reduce.ts";
import { initial, type RunState } from "../../engine/state.ts";
import type { Plan } from "../../graph/plan.ts";
import type { Bound } from "../../model/bound.ts";
import type { EventBody, JournalEvent, RunStarted } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { Nodes } from "./nodes.ts";

/** A run in memory, built from its events and nothing else. */
export interface Memory {
  state: RunState;
  readonly nodes: Nodes;
  /**
   * The last process that could perform anything of it: what owned it later
   * has died before it recorded that it goes on.
   */
  owner: ProcessIdentity | null;
  /** What the run is bound to: as it started, or as a later resume accepted. */
  bound: Bound | null;
}

export function blank(plan: Plan): Memory {
  return { state: initial(plan), nodes: new Nodes(), owner: null, bound: null };
}

export interface Remembered {
  readonly memory: Memory;
  readonly started: RunStarted;
  /** Number of the last event. */
  readonly last: number;
}

/** Reads a run back; null where its journal does not begin with its start. */
export function remember(plan: Plan, events: Iterable<JournalEvent>): Remembered | null {
  const memory = blank(plan);
  let started: RunStarted | null = null;
  let last = 0;
  for (const { body, at, seq } of events) {
    if (started === null) {
      if (body.type !== "run.started") return null;
      started = body;
    }
    last = seq;
    memory.state = reduce(memory.state, body, at);
    note(memory, body, at);
  }
  return started === null ? null : { memory, started, last };
}

/** What is kept of an event beside the state. */
export function note(memory: Memory, body: EventBody, at: number): void {
  memory.nodes.take(body, at);
  if (body.type !== "run.started" && body.type !== "run.resumed") return;
  memory.owner = body.owner;
  memory.bound = body.type === "run.started" ? body : (body.accepted ?? memory.bound);
}
