import { advance } from "../../src/engine/advance.ts";
import { reduce } from "../../src/engine/reduce.ts";
import type { RunState } from "../../src/engine/state.ts";
import { suspension } from "../../src/engine/suspension.ts";
import { initial } from "../../src/engine/state.ts";
import { unfinished } from "../../src/engine/ending/unfinished.ts";
import type { Plan } from "../../src/graph/plan.ts";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Command } from "../../src/model/commands.ts";
import type { Attempt } from "../../src/model/attempt.ts";
import type { EventBody, NodeSettled, RunStarted } from "../../src/model/events.ts";
import type { NodeResult } from "../../src/model/outcome.ts";

/** What the world does: the result of an attempt and how long it takes, in ticks. */
export interface World {
  result(attempt: Attempt): NodeResult;
  ticks(attempt: Attempt): number;
  /** Events from outside, by tick. */
  readonly outside?: ReadonlyMap<number, EventBody>;
}

export interface DrivenRun {
  readonly state: RunState;
  readonly events: readonly EventBody[];
  /** Time of each event. */
  readonly times: readonly number[];
  readonly commands: readonly Command[];
  /** First attempts by node. */
  readonly counts: Readonly<Record<string, number>>;
  readonly mostAtOnce: number;
  readonly skipped: readonly string[];
  readonly end: Extract<EventBody, { type: "run.finished" }> | null;
}

const owner = { pid: 1, startTime: "1", bootId: "test" };

export const runStarted: RunStarted = {
  type: "run.started",
  taskId: "T1",
  task: "",
  blueprint: "test",
  contentHash: "",
  bindingHash: "",
  inputs: {},
  cwd: "/",
  owner,
};

export interface DriveOptions {
  readonly started?: RunStarted;
  /** Passes of the task that earlier runs were charged for. */
  readonly passes?: Readonly<Record<string, number>>;
  /** Forgets the state before every step and makes it anew from the events, as after a crash. */
  readonly rebuild?: boolean;
  /** Ticks at which the engine dies: what runs has no outcome, and the next engine settles it so. */
  readonly deaths?: ReadonlyMap<number, NodeSettled["as"]>;
}

/** Runs a blueprint against a world in simulated time: what ends at the same tick ends in the order of its starts. */
export function drive(blueprint: Blueprint, world: World, options: DriveOptions = {}): DrivenRun {
  const plan = compile(blueprint);
  let state = initial(plan);
  const log: Logged[] = [];
  const commands: Command[] = [];
  const agenda: Due[] = [];
  let timer: Due | null = null;
  let order = 0;
  let running = 0;
  let mostAtOnce = 0;
  for (const [at, event] of world.outside ?? []) agenda.push({ at, order: (order += 1), events: [event] });

  const step = (incoming: readonly EventBody[], now: number): void => {
    if (options.rebuild === true) state = rebuild(plan, log);
    const taken = advance(state, incoming, now);
    for (const event of taken.events) {
      log.push({ event, at: now });
      if (event.type === "node.started") running += 1;
      if (isOver(event)) running -= 1;
      mostAtOnce = Math.max(mostAtOnce, running);
    }
    commands.push(...taken.commands);
    for (const command of taken.commands) schedule(command, now);
  };
  const schedule = (command: Command, now: number): void => {
    if (command.type === "time_limit") {
      const due = { at: now + (command.remainingMs ?? 0), order: (order += 1), events: [timeSpent] };
      timer = command.remainingMs === null ? null : due;
      return;
    }
    const { node, pass, attempt } = command;
    const key = { node, pass, attempt };
    const after = (ticks: number, events: readonly EventBody[]): void =>
      void agenda.push({ at: now + ticks, order: (order += 1), events });
    switch (command.type) {
      case "perform":
        return after(world.ticks(key), [{ type: "node.ended", ...key, result: world.result(key) }]);
      case "retry_after":
        return after(command.delayMs, [{ type: "retry.due", ...key }]);
      case "suspend":
        return after(0, suspension(key));
      case "cancel":
        return after(0, [{ type: "node.ended", ...key, result: { outcome: "cancelled" } }]);
    }
  };

  const die = (as: NodeSettled["as"], now: number): void => {
    agenda.splice(0, agenda.length, ...agenda.filter(({ events }) => !events.some(isOfWorld)));
    timer = null;
    state = rebuild(plan, log);
    const lost = unfinished(state).flatMap((attempt): EventBody[] => [
      { type: "node.unconfirmed", ...attempt, reason: { code: "crash", text: "the engine died" } },
      { type: "node.settled", ...attempt, as, by: "test" },
    ]);
    step([{ type: "run.resumed", owner }, ...lost], now);
  };

  const { passes } = options;
  step(
    [options.started ?? runStarted, ...(passes === undefined ? [] : [{ type: "passes.synced", passes } as const])],
    0,
  );
  const deaths = [...(options.deaths ?? [])].sort(([a], [b]) => b - a);
  while (state.phase !== "finished") {
    agenda.sort(byTime);
    const next: Due | undefined = timer !== null && byTime(timer, agenda.at(-1) ?? timer) > 0 ? timer : agenda.pop();
    const death = deaths.at(-1);
    if (death !== undefined && next !== undefined && death[0] < next.at) {
      if (next !== timer) agenda.push(next);
      deaths.pop();
      die(death[1], death[0]);
      continue;
    }
    if (next === undefined) break;
    if (next === timer) timer = null;
    step(next.events, next.at);
  }
  return {
    state,
    events: log.map(({ event }) => event),
    times: log.map(({ at }) => at),
    commands,
    counts: countStarts(log.map(({ event }) => event)),
    mostAtOnce,
    skipped: log.flatMap(({ event }) => (event.type === "node.skipped" ? [event.node] : [])),
    end: log.map(({ event }) => event).find((event) => event.type === "run.finished") ?? null,
  };
}

function countStarts(events: readonly EventBody[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events) {
    if (event.type === "node.started" && event.attempt === 1) counts[event.node] = (counts[event.node] ?? 0) + 1;
  }
  return counts;
}

/** What comes together. */
interface Due {
  readonly events: readonly EventBody[];
  readonly at: number;
  readonly order: number;
}

/** Latest first. */
function byTime(a: Due, b: Due): number {
  return b.at - a.at || b.order - a.order;
}

/** What a dead engine no longer hears of: outcomes and its own timers. */
function isOfWorld({ type }: EventBody): boolean {
  return type === "node.ended" || type === "node.unconfirmed" || type === "retry.due";
}

function isOver({ type }: EventBody): boolean {
  return type === "node.ended" || type === "node.retrying" || type === "node.unconfirmed";
}

const timeSpent: EventBody = { type: "run.time_spent" };

interface Logged {
  readonly event: EventBody;
  readonly at: number;
}

function rebuild(plan: Plan, log: readonly Logged[]): RunState {
  const state = initial(plan);
  for (const { event, at } of log) reduce(state, event, at);
  return state;
}

/** The state that the journal alone gives. */
export function replay(blueprint: Blueprint, run: DrivenRun): RunState {
  return rebuild(
    compile(blueprint),
    run.events.map((event, index) => ({ event, at: run.times[index] ?? 0 })),
  );
}
