import { at, item } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, NodeEnded } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import { advance } from "./advance.ts";
import { fits } from "./fits.ts";
import { unfinished } from "./ending/unfinished.ts";
import { remainingTime } from "./limits/time.ts";
import { Outcomes, passKey } from "./outcomes.ts";
import { type Batch, batchesOf, type Recorded } from "./recorded.ts";
import { initial, type RunState } from "./state.ts";
import { suspension } from "./suspension.ts";

export interface PlayedAgain {
  readonly events: readonly EventBody[];
  /** Nodes that needed an outcome which nobody recorded, in the order of their names. */
  readonly assumed: readonly string[];
}

/** What is known when a pass of a node comes to its end. */
export interface KnownSoFar {
  /** The latest result of each node in this way of the run. */
  readonly results: ReadonlyMap<string, NodeResult>;
  /** Those of which the latest was assumed. */
  readonly guessed: ReadonlySet<string>;
}

/** What a pass comes to by what is known alone; a guess where part of that is one. */
export interface Deduced {
  readonly result: NodeResult;
  readonly isGuess: boolean;
}

/** Where nobody recorded what a pass of another plan comes to, or it follows from what else is known. */
export interface Fill {
  readonly assume: (attempt: Attempt) => NodeResult;
  /** Null leaves it at what was recorded or is assumed. */
  readonly deduce: (
    attempt: Attempt,
    recorded: NodeResult | undefined,
    known: KnownSoFar,
  ) => Promise<Deduced | null> | null;
}

/**
 * What another plan makes of all that came from the world in a run: each event is taken when it came, if it still means
 * anything then. A pass whose end had come before its start is given it at once; one that has none takes what is
 * assumed, unless it was open where the journal ends. With the plan that the run had, it gives its journal again. That
 * `limits.time` is used up is taken from the journal, or counted from the times in it, where it is not what it was.
 * Ends with the journal, or after `limits.simulatedStarts`.
 */
export async function playAgain(
  plan: Plan,
  journal: readonly Recorded[],
  fill: Fill,
  time: "recorded" | "counted" = "recorded",
): Promise<PlayedAgain> {
  const batches = batchesOf(journal);
  const player = new Player(plan, new Outcomes(journal), fill, time === "counted");
  for (const [i, batch] of batches.entries()) await player.take(batch, batches[i + 1]?.from ?? journal.length);
  return { events: player.events, assumed: [...player.assumed].sort() };
}

class Player {
  readonly events: EventBody[] = [];
  readonly assumed = new Set<string>();
  readonly #state: RunState;
  readonly #recorded: Outcomes;
  readonly #fill: Fill;
  readonly #results = new Map<string, NodeResult>();
  readonly #guessed = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #suspended = new Set<string>();
  readonly #countsTime: boolean;
  #given = 0;

  constructor(plan: Plan, recorded: Outcomes, fill: Fill, counts: boolean) {
    this.#state = initial(plan);
    this.#recorded = recorded;
    this.#fill = fill;
    this.#countsTime = counts;
  }

  /** `next` is where the next batch begins: what the engine once decided on this one comes before it. */
  async take({ events, at: now }: Batch, next: number): Promise<void> {
    if (this.#countsTime && isOverTime(this.#state, now)) this.#step([{ type: "run.time_spent" }], now);
    const counting = this.#isAnswered(events) ? events.filter((event) => this.#counts(event)) : [];
    if (counting.length > 0) this.#step(await this.#deduced(counting), now);
    this.#recorded.readTo(next);
    for (let missing = await this.#missing(); missing.length > 0; missing = await this.#missing())
      this.#step(missing, now);
  }

  /** With the ends that follow from what is known instead of those that were recorded. */
  async #deduced(events: readonly EventBody[]): Promise<readonly EventBody[]> {
    const all: EventBody[] = [];
    for (const event of events) {
      if (event.type !== "node.ended") all.push(event);
      else all.push({ ...event, result: (await this.#deduce(event, event.result)) ?? this.#taken(event) });
    }
    return all;
  }

  #taken({ node, result }: NodeEnded): NodeResult {
    this.#guessed.delete(node);
    return result;
  }

  async #deduce(attempt: Attempt, recorded: NodeResult | undefined): Promise<NodeResult | null> {
    if (recorded?.outcome === "cancelled") return null;
    const known = { results: this.#results, guessed: this.#guessed };
    const deduced = await this.#fill.deduce(attempt, recorded, known);
    if (deduced === null) return null;
    if (deduced.isGuess) this.#guessed.add(attempt.node);
    else this.#guessed.delete(attempt.node);
    return deduced.result;
  }

  #step(events: readonly EventBody[], now: number): void {
    const step = advance(this.#state, events, now);
    for (const event of step.events) {
      this.events.push(event);
      if (event.type === "node.ended") this.#results.set(event.node, event.result);
    }
    for (const command of step.commands) {
      if (command.type === "cancel") this.#cancelled.add(passKey(command));
      if (command.type === "suspend") this.#suspended.add(passKey(command));
    }
  }

  /** A halted run does not go on for decisions of which none is about what halted it. */
  #isAnswered(events: readonly EventBody[]): boolean {
    const decisions = events.filter((event) => event.type === "node.settled");
    const isHalted = this.#state.phase === "finished" && decisions.length > 0;
    return !isHalted || decisions.some((event) => fits(this.#state, event));
  }

  /** That an attempt was cancelled says nothing where nobody cancels it now. */
  #counts(event: EventBody): boolean {
    if (event.type === "run.time_spent") return !this.#countsTime;
    if (event.type !== "node.ended" || event.result.outcome !== "cancelled") return true;
    return this.#cancelled.has(passKey(event)) || this.#suspended.has(passKey(event));
  }

  /** The ends, and the ends of delays, that nothing which is still to come brings. */
  async #missing(): Promise<readonly EventBody[]> {
    if (this.#given >= limits.simulatedStarts) return [];
    const isLeft = (attempt: Attempt): boolean => !this.#recorded.isToCome(attempt);
    const due = delayed(this.#state).filter(isLeft);
    const open = unfinished(this.#state).filter(isLeft);
    this.#given += due.length + open.length;
    const events: EventBody[] = due.map((attempt) => ({ type: "retry.due", ...attempt }));
    for (const attempt of open) {
      if (this.#isSuspended(attempt)) events.push(...suspension(attempt));
      else events.push({ type: "node.ended", ...attempt, result: await this.#resultOf(attempt) });
    }
    return events;
  }

  #isSuspended(attempt: Attempt): boolean {
    return this.#suspended.has(passKey(attempt)) && this.#recorded.of(attempt) === undefined;
  }

  async #resultOf(attempt: Attempt): Promise<NodeResult> {
    const recorded = this.#recorded.of(attempt);
    const isCancelled = this.#cancelled.has(passKey(attempt));
    const deduced = isCancelled ? null : await this.#deduce(attempt, recorded);
    if (deduced !== null) return deduced;
    if (recorded !== undefined && (isCancelled || recorded.outcome !== "cancelled")) return recorded;
    if (isCancelled) return { outcome: "cancelled" };
    this.assumed.add(attempt.node);
    this.#guessed.add(attempt.node);
    return this.#fill.assume(attempt);
  }
}

function isOverTime(state: RunState, now: number): boolean {
  const { workingSince, lastAt } = state;
  return workingSince !== null && remainingTime(state) <= now - lastAt;
}

function delayed({ plan, delayed: waiting, pass, attempt }: RunState): readonly Attempt[] {
  return [...waiting.keys()].map((node) => ({
    node: item(plan.ids, node),
    pass: at(pass, node),
    attempt: at(attempt, node),
  }));
}
