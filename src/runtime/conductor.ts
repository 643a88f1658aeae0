import { advance } from "../engine/advance.ts";
import type { Command } from "../model/commands.ts";
import { type Attempt, type EventBody, isPromise, type JournalEvent } from "../model/events.ts";
import type { NodeResult, RunStatus } from "../model/outcome.ts";
import { timeoutOf } from "../model/timeouts.ts";
import type { Conflict, Message } from "../ports/journal.ts";
import type { Progress } from "../ports/performer.ts";
import type { Observer, RunEnd, RunHandle } from "./api.ts";
import { childrenOf, type InnerEngine } from "./children.ts";
import { contextOf, type RunFacts } from "./context.ts";
import { isProblem, mirrored, passesOfTask } from "./counters.ts";
import { type AttemptGate, EarlyAnswers, gateOf, type Given } from "./gates.ts";
import { note, type Memory } from "./memory.ts";
import type { EngineOptions } from "./options.ts";
import { Performance } from "./performance.ts";
import { clipped } from "./result.ts";
import { RunTimers } from "./timers.ts";
import { RunValues } from "./values.ts";

type Ports = EngineOptions & { readonly inner: InnerEngine };

interface Live {
  readonly attempt: Attempt;
  readonly performance: Performance;
  readonly gate: AttemptGate | null;
}

/**
 * Executes one run: what comes in is taken one batch at a time, advanced, committed, told to the observer, and only then acted on.
 * Nothing that was not committed is ever performed, and nothing that is performed goes unrecorded.
 */
export class Conductor implements RunHandle {
  readonly run: string;
  readonly end: Promise<RunEnd>;
  readonly #ports: Ports;
  readonly #facts: RunFacts;
  readonly #observer: Observer;
  readonly #rebuild: () => Memory;
  readonly #values: RunValues;
  readonly #timers: RunTimers;
  readonly #live = new Map<string, Live>();
  readonly #memory: Memory;
  #inbox: EventBody[] = [];
  #taken: number[] = [];
  readonly #early = new EarlyAnswers();
  #busy = false;
  #over = false;
  #stops = 0;
  readonly #ending = Promise.withResolvers<RunEnd>();
  #stopListening: () => void = () => undefined;

  /** `rebuild` reads the run back from the journal, for when a commit was refused and what was advanced with it must be forgotten. */
  constructor(ports: Ports, facts: RunFacts, observer: Observer, memory: Memory, rebuild: () => Memory) {
    this.run = facts.run;
    this.#ports = ports;
    this.#facts = facts;
    this.#observer = observer;
    this.#memory = memory;
    this.#rebuild = rebuild;
    this.#values = new RunValues({ ...facts, results: memory.results.byNode }, ports.can.blobs);
    this.#timers = new RunTimers(ports.clock, ports.ids, {
      retryDue: (attempt) => this.#put({ type: "retry.due", ...attempt }),
      timeSpent: () => this.#put({ type: "run.time_spent" }),
    });
    this.end = this.#ending.promise;
    this.end.catch(() => undefined); // whoever holds the handle sees it; nobody has to
  }

  /** Goes on from events that are committed already. */
  begin(committed: readonly JournalEvent[], commands: readonly Command[]): void {
    this.#stopListening = this.#ports.journal.listen(this.run, this.#message, this.#deaf);
    this.#committed(committed);
    this.#carryOut(commands);
  }

  deliver(event: EventBody): void {
    if (event.type === "gate.answered") this.#answer({ answered: event, taken: null });
    else this.#put(event);
  }

  stop(by: string): void {
    this.#stops += 1;
    if (this.#stops === 1) this.#put({ type: "run.stop_requested", by });
    else for (const { performance } of this.#live.values()) performance.endAtOnce();
  }

  park(): boolean {
    const live = [...this.#live.values()];
    if (this.#busy || this.#over || live.some(({ gate }) => gate === null || gate.given !== null)) return false;
    this.#close("waiting", null);
    for (const { performance } of live) performance.cancel();
    return true;
  }

  readonly #message = ({ id, body }: Message): void => {
    if (this.#over) return;
    if (body.type === "gate.answered") return this.#answer({ answered: body, taken: id });
    this.#taken.push(id);
    this.#put(body);
  };

  /** A run that nobody can stop or answer any more does not go on. */
  readonly #deaf = (error: unknown): void => void this.#fail(error);

  /** One for a question that is not asked yet, as after a resume, is kept until it is. */
  #answer(given: Given): void {
    const gate = this.#live.get(given.answered.node)?.gate;
    if (gate?.isOpen === true) this.#give(gate, given);
    else this.#early.keep(given);
  }

  /** A message that came too late, or answers something else, is discarded. */
  #give(gate: AttemptGate, { answered, taken }: Given): void {
    if (!gate.give(answered, taken) && taken !== null) void this.#appendBeside([], [taken]);
  }

  #put(event: EventBody): void {
    if (this.#over) return;
    this.#inbox.push(event);
    if (!this.#busy) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#inbox.length > 0 && !this.#over) await this.#turn();
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#busy = false;
    }
  }

  async #turn(): Promise<void> {
    const [incoming, taken] = [this.#inbox, this.#taken];
    [this.#inbox, this.#taken] = [[], []];
    const at = this.#ports.clock.now();
    const { events, commands } = advance(this.#memory.state, incoming, at);
    if (events.length === 0 && taken.length === 0) return this.#carryOut(commands);
    // Telemetry rides in a later commit, which nothing waits for.
    if (taken.length === 0 && !events.some(isPromise)) return void this.#appendBeside(events, []);
    const answer = await this.#ports.journal.append(this.run, events, at, taken);
    if ("conflict" in answer) return this.#refused(answer, incoming, taken);
    this.#committed(answer);
    this.#carryOut(commands);
  }

  #committed(events: readonly JournalEvent[]): void {
    for (const event of events) {
      const { body, at } = event;
      note(this.#memory, body, at);
      this.#observer.event(event);
      if (body.type === "run.finished") this.#close(body.status, body.reason ?? null);
    }
  }

  /** What was advanced with the refused commit never happened: the run is read back, and what came in is taken again. */
  async #refused(conflict: Conflict, incoming: readonly EventBody[], taken: readonly number[]): Promise<void> {
    if (conflict.conflict !== "passes") return this.#lose(conflict);
    const { journal } = this.#ports;
    this.#memory.state = this.#rebuild().state;
    const counted = passesOfTask(journal, this.#facts);
    const passes = isProblem(counted) ? journal.passes(this.#facts.taskId, this.#facts.blueprint.name) : counted;
    const waiting = this.#inbox;
    this.#inbox = [{ type: "passes.synced", passes }, ...incoming, ...waiting];
    this.#taken.unshift(...taken);
  }

  /** Another process has the run: what runs here must not go on beside it. */
  async #lose(conflict: Conflict): Promise<void> {
    await this.#abandon();
    this.#ending.resolve({ run: this.run, status: "interrupted", reason: conflict.what });
  }

  async #fail(error: unknown): Promise<void> {
    await this.#abandon();
    this.#ending.reject(error);
  }

  #close(status: RunStatus, reason: string | null): void {
    this.#silence();
    this.#ending.resolve({ run: this.run, status, reason });
  }

  /** Ends what is being performed, without a record of it. */
  async #abandon(): Promise<void> {
    this.#silence();
    const live = [...this.#live.values()];
    for (const { performance } of live) performance.cancel();
    await Promise.all(live.map(({ performance }) => performance.over()));
  }

  #silence(): void {
    this.#over = true;
    this.#stopListening();
    this.#timers.silence();
  }

  #carryOut(commands: readonly Command[]): void {
    for (const command of commands) {
      if (this.#over) return;
      switch (command.type) {
        case "perform":
          this.#perform(command);
          break;
        case "cancel":
          this.#live.get(command.node)?.performance.cancel();
          break;
        case "retry_after":
          this.#timers.retryAfter(command, command.delayMs);
          break;
        case "time_limit":
          this.#timers.limit(command.remainingMs);
          break;
      }
    }
  }

  #perform({ node: id, pass, attempt: n }: Attempt): void {
    const { performers, can, clock, environment, journal } = this.#ports;
    const attempt = { node: id, pass, attempt: n };
    const node = this.#facts.blueprint.nodes.get(id);
    const performer = node === undefined ? undefined : performers.get(node.type);
    // Admission saw to both.
    if (node === undefined || performer === undefined)
      throw new Error(`node ${id} of run ${this.run} cannot be performed`);
    const unmirrored = mirrored(this.#facts, id, this.#memory.attempts.get(id)?.charged);
    if (unmirrored !== null)
      return queueMicrotask(() => this.#put({ type: "node.ended", ...attempt, result: unmirrored }));
    const gate = node.type === "human" ? gateOf(node, attempt, can.gates, this.#memory.answers.get(id)) : null;
    const own = gate === null ? can : { ...can, gates: gate.keeper };
    const since = this.#memory.since.get(id) ?? clock.now();
    const shared = { facts: this.#facts, node, attempt, since, values: this.#values, can: own, environment };
    const inner = { ...shared, engine: this.#ports.inner, journal, blobs: can.blobs, memory: this.#memory };
    const performance = new Performance({
      performer,
      attempt,
      timeoutMs: timeoutOf(node),
      clock,
      context: (signal, report) =>
        contextOf({ ...shared, signal, report, children: (...live) => childrenOf(inner, ...live) }),
      report: (progress) => this.#progress(attempt, gate, progress),
      ended: (result) => this.#ended(attempt, result),
    });
    this.#live.set(id, { attempt, performance, gate });
  }

  #ended(attempt: Attempt, result: NodeResult): void {
    this.#live.delete(attempt.node);
    this.#put({ type: "node.ended", ...attempt, result });
  }

  #progress(attempt: Attempt, gate: AttemptGate | null, progress: Progress): void {
    if (this.#over) return;
    this.#observer.progress(attempt, progress);
    switch (progress.kind) {
      case "line":
        break;
      case "process":
        this.#tell({ type: "node.process", ...attempt, process: progress.process });
        break;
      case "agent": {
        const event = clipped({ type: "agent.progressed", ...attempt, event: progress.event });
        if (progress.event.type === "usage") this.#put(event);
        else this.#tell(event);
        break;
      }
      case "gate_opened": {
        const { mode, prompt, digest } = progress;
        if (gate?.opened(digest) !== false) this.#put({ type: "gate.opened", ...attempt, mode, prompt, digest });
        if (gate !== null) for (const given of this.#early.take(attempt.node)) this.#give(gate, given);
        break;
      }
      case "gate_answered": {
        const { by, digest, answer } = progress;
        if (gate?.isRecorded === true) break;
        const { taken = null, answered } = gate?.given ?? {};
        if (taken !== null) this.#taken.push(taken);
        const id = answered?.id === undefined ? {} : { id: answered.id };
        this.#put({ type: "gate.answered", ...attempt, ...id, by, digest, answer });
        break;
      }
    }
  }

  /** Telemetry: it changes nothing in the state, and rides in the next commit. */
  #tell(event: EventBody): void {
    void this.#appendBeside([event], []);
  }

  async #appendBeside(events: readonly EventBody[], taken: readonly number[]): Promise<void> {
    try {
      const answer = await this.#ports.journal.append(this.run, events, this.#ports.clock.now(), taken);
      if (!("conflict" in answer)) this.#committed(answer);
      else if (!this.#over) await this.#lose(answer);
    } catch (error) {
      if (!this.#over) await this.#fail(error);
    }
  }
}
