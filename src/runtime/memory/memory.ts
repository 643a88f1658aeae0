import { Approvals } from "./approvals.ts";
import { reduce } from "../../engine/reduce.ts";
import { initial, type RunState } from "../../engine/state.ts";
import type { Bound } from "../../model/bound.ts";
import type { Plan } from "../../graph/plan.ts";
import type {
  EventBody,
  GateAnswered,
  InnerDecision,
  JournalEvent,
  NodeStarted,
  ProcessIdentity,
  RunStarted,
} from "../../model/events.ts";
import type { ActionContext } from "../../ports/performer.ts";
import { Results } from "./results.ts";
import { noteTrail, type Trails } from "./trail.ts";
import { UsageMeter } from "./usage-meter.ts";

/** A run in memory, built from its events and nothing else. */
export interface Memory {
  state: RunState;
  readonly results: Results;
  /** Answers recorded for attempts that have no outcome yet. */
  readonly answers: Map<string, GateAnswered>;
  /** Processes of attempts that have no outcome yet. */
  readonly processes: Map<string, ProcessIdentity[]>;
  /** The latest attempt of each node. */
  readonly attempts: Map<string, NodeStarted>;
  /** When the latest pass of each node began, in milliseconds since the epoch. */
  readonly since: Map<string, number>;
  /** What the latest pass of each node was given beside its prompt, by SHA-256. */
  readonly bundles: Map<string, string>;
  /** What agents did in the latest pass of each node, the latest of it. */
  readonly trails: Trails;
  /** Decisions about runs inside each node, in order, since an attempt of it has ended: that one had its chance to hand them on. */
  readonly decisions: Map<string, InnerDecision[]>;
  readonly approvals: Approvals;
  /** What attempts of the latest pass of each node used of models. */
  readonly used: Map<string, UsageMeter>;
  /** The last process that could perform anything of it: what owned it later has died before it recorded that it goes on. */
  owner: ProcessIdentity | null;
  /** What the run is bound to: as it started, or as a later resume accepted. */
  bound: Bound | null;
}

export function blank(plan: Plan): Memory {
  const maps = {
    results: new Results(),
    answers: new Map(),
    processes: new Map(),
    attempts: new Map(),
    since: new Map(),
  };
  const inside = { decisions: new Map(), used: new Map() };
  return {
    state: initial(plan),
    ...maps,
    bundles: new Map(),
    trails: new Map(),
    approvals: new Approvals(),
    ...inside,
    owner: null,
    bound: null,
  };
}

export interface Remembered {
  readonly memory: Memory;
  readonly started: RunStarted;
  /** Number of the last event. */
  readonly last: number;
}

/** Reads a run back; null where its journal does not begin with its start. */
export function remember(plan: Plan, events: Iterable<JournalEvent>): Remembered | null {
  let memory: Memory | null = null;
  let started: RunStarted | null = null;
  let last = 0;
  for (const { body, at, seq } of events) {
    last = seq;
    if (memory === null || started === null) {
      if (body.type !== "run.started") return null;
      started = body;
      memory = blank(plan);
    }
    memory.state = reduce(memory.state, body, at);
    note(memory, body, at);
  }
  return memory === null || started === null ? null : { memory, started, last };
}

/** What is kept of an event beside the state. */
export function note(memory: Memory, body: EventBody, at: number): void {
  const { results, answers, processes, attempts, since } = memory;
  results.take(body);
  memory.approvals.note(body);
  noteInside(memory, body);
  switch (body.type) {
    case "run.started":
      memory.bound = body;
      memory.owner = body.owner;
      break;
    case "run.resumed":
      memory.bound = body.accepted ?? memory.bound;
      memory.owner = body.owner;
      break;
    case "node.started":
      attempts.set(body.node, body);
      if (body.attempt > 1) break;
      since.set(body.node, at);
      memory.bundles.delete(body.node);
      memory.trails.delete(body.node);
      break;
    case "agent.progressed":
      if (body.event.type === "context") memory.bundles.set(body.node, body.event.bundle);
      else noteTrail(memory.trails, body.node, body.event);
      break;
    case "node.ended":
      answers.delete(body.node);
      processes.delete(body.node);
      break;
    case "node.retrying":
      processes.delete(body.node);
      break;
    case "gate.answered":
      answers.set(body.node, body);
      break;
    case "node.process": {
      const known = processes.get(body.node);
      if (known === undefined) processes.set(body.node, [body.process]);
      else known.push(body.process);
      break;
    }
    default:
      break;
  }
}

/** What runs inside the latest pass of a node have to know of it. */
function noteInside({ decisions, used }: Memory, body: EventBody): void {
  if (body.type === "node.started" && body.attempt === 1) {
    decisions.delete(body.node);
    used.delete(body.node);
  }
  if (body.type === "node.ended") decisions.delete(body.node);
  if (body.type === "node.settled" && body.inside !== undefined)
    decisions.set(body.node, [...(decisions.get(body.node) ?? []), body.inside]);
  const usage =
    (body.type === "agent.progressed" && body.event.type === "usage") ||
    ((body.type === "node.ended" || body.type === "node.retrying") && body.result.usage !== undefined);
  if (body.type !== "node.unconfirmed" && !usage) return;
  const meter = used.get(body.node) ?? new UsageMeter();
  meter.note(body);
  used.set(body.node, meter);
}

/** What an attempt has of its pass: when that began, what an earlier attempt was given, and what it did. */
export function passOf(
  { since, bundles, trails }: Memory,
  node: string,
  now: number,
): Pick<ActionContext, "since" | "bundle" | "earlier"> {
  const bundle = bundles.get(node);
  const trail = trails.get(node);
  return {
    // Where the clock was set back while nobody executed the run, it began just now: no wait is longer than it says.
    since: Math.min(since.get(node) ?? now, now),
    ...(bundle === undefined ? {} : { bundle }),
    ...(trail === undefined ? {} : { earlier: [...trail] }),
  };
}
