import { advance } from "../engine/advance.ts";
import type { Command } from "../model/commands.ts";
import { type EventBody, isPromise, type JournalEvent } from "../model/events.ts";
import type { RunStatus } from "../model/outcome.ts";
import type { Conflict, Message } from "../ports/journal.ts";
import type { Leave, Observer, RunEnd, RunHandle } from "./api.ts";
import { Attempts, type Ports } from "./attempts/attempts.ts";
import type { RunFacts } from "./context.ts";
import { charging, isProblem, passesOfTask, storedPasses, unmirrored } from "./counters/counters.ts";
import { note, type Memory } from "./memory/memory.ts";
import { RunTimers } from "./time/timers.ts";
import type { Wait } from "./time/wait.ts";

/**
 * Executes one run: what comes in is taken one batch at a time, advanced, committed, told to the observer, and only
 * then acted on. Nothing that was not committed is ever performed, and nothing that is performed goes unrecorded.
 */
export class Conductor implements RunHandle {
  readonly run: string;
  readonly end: Promise<RunEnd>;
  readonly #ports: Ports;
  readonly #facts: RunFacts;
  readonly #observer: Observer;
  readonly #rebuild: () => Memory;
  readonly #timers: RunTimers;
  readonly #attempts: Attempts;
  readonly #memory: Memory;
  #inbox: EventBody[] = [];
  #taken: number[] = [];
  #busy = false;
  /** Resolves when all that was put is committed. */
  #pumping: Promise<void> = Promise.resolve();
  /** Resolves when the commits that nothing waits for are on the disk and told. */
  #beside: Promise<unknown> = Promise.resolve();
  /** Number of the event that is told next, and those after it that are on the disk before it. */
  #next: number | null = null;
  readonly #untold = new Map<number, JournalEvent>();
  #over = false;
  #stops = 0;
  readonly #stopping = new AbortController();
  readonly #ending = Promise.withResolvers<RunEnd>();
  #stopListening: () => void = () => undefined;

  /**
   * `rebuild` reads the run back from the journal, for when a commit was refused
   * and what was advanced with it must be forgotten.
   */
  constructor(ports: Ports, facts: RunFacts, observer: Observer, memory: Memory, rebuild: () => Memory) {
    this.run = facts.run;
    this.#ports = ports;
    this.#facts = facts;
    this.#observer = observer;
    this.#memory = memory;
    this.#rebuild = rebuild;
    this.#attempts = new Attempts(ports, facts, memory, observer, {
      put: (events, taken) => this.#put(events, taken),
      tell: (event) => this.#tell(event),
      discard: (taken) => this.#appendBeside([], [taken]),
      recorded: () => this.#pumping,
    });
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

  /** Whether it has begun runs inside it. */
  get holdsRuns(): boolean {
    return this.#attempts.holdRuns;
  }

  deliver(event: EventBody): void {
    if (event.type === "gate.answered") this.#attempts.answer({ answered: event, taken: null });
    else this.#put(event);
  }

  stop(by: string): void {
    this.#stops += 1;
    if (this.#stops === 1) this.#put({ type: "run.stop_requested", by });
    else this.#attempts.endAtOnce();
  }

  leave(how: Leave): boolean {
    if (!this.canLeave(how)) return false;
    const inside = this.#attempts.leave(how);
    this.#silence();
    this.#attempts.cancelAll();
    // Nothing is told after the end: what is being written is told before.
    const end: RunEnd = { run: this.run, status: "waiting", reason: null };
    void Promise.all([inside, this.#beside])
      .then(() => (how === "suspend" ? this.#release() : undefined))
      .then(() => this.#ending.resolve(end));
    return true;
  }

  canLeave(how: Leave): boolean {
    const { delayed, asleep } = this.#memory.state;
    const triesAgainSoon = delayed.size > asleep.size;
    return !this.#busy && !this.#over && !triesAgainSoon && this.#attempts.canLeave(how);
  }

  /** Where that cannot be written down this process has the run until it ends. */
  #release(): Promise<void> {
    return this.#ports.journal.release(this.run).catch(() => undefined);
  }

  readonly #message = ({ id, body }: Message): void => {
    if (this.#over) return;
    if (body.type === "gate.answered") return this.#attempts.answer({ answered: body, taken: id });
    this.#put(body, id);
  };

  /** A run that nobody can stop or answer any more does not go on. */
  readonly #deaf = (error: unknown): void => void this.#fail(error);

  #put(event: EventBody | readonly EventBody[], taken?: number): void {
    if (this.#over) return;
    if (taken !== undefined) this.#taken.push(taken);
    const events = [event].flat();
    this.#inbox.push(...events);
    if (events.some(({ type }) => type === "run.stop_requested")) this.#stopping.abort();
    if (!this.#busy) this.#pumping = this.#pump();
  }

  async #pump(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#inbox.length > 0 && !this.#over) await this.#turn();
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#busy = false;
      if (!this.#over) this.#observer.quiet?.();
    }
  }

  async #turn(): Promise<void> {
    const incoming = this.#inbox;
    const taken = this.#taken;
    this.#inbox = [];
    this.#taken = [];
    const at = this.#ports.clock.now();
    const { events, commands } = advance(this.#memory.state, incoming, at);
    if (events.length === 0 && taken.length === 0) return this.#carryOut(commands);
    // Telemetry rides in a later commit, which nothing waits for.
    if (taken.length === 0 && !events.some(isPromise)) return this.#appendBeside(events, []);
    const append = () => this.#ports.journal.append(this.run, events, at, taken);
    const charged = await charging(this.#facts, events, append, this.#wait());
    if (isProblem(charged) && charged.stopped === true) return this.#again(incoming, taken);
    if (isProblem(charged)) this.#attempts.refusePasses(events, unmirrored(charged));
    const answer = isProblem(charged) ? await append() : charged;
    if ("conflict" in answer) return this.#refused(answer, incoming, taken);
    this.#committed(answer);
    this.#carryOut(commands);
  }

  #committed(events: readonly JournalEvent[]): void {
    this.#next ??= events[0]?.seq ?? null;
    for (const event of events) note(this.#memory, event.body, event.at);
    for (const event of events) this.#tellInTurn(event);
  }

  /** Appends of one commit may come back in another order than they were made in: each waits for those before it. */
  #tellInTurn(event: JournalEvent): void {
    if (event.seq !== this.#next) {
      this.#untold.set(event.seq, event);
      return;
    }
    let told: JournalEvent | undefined = event;
    while (told !== undefined) {
      const { body, seq } = told;
      this.#next = seq + 1;
      this.#observer.event(told);
      if (body.type === "run.finished") this.#close(body.status, body.reason ?? null);
      told = this.#takeUntold(seq + 1);
    }
  }

  #takeUntold(seq: number): JournalEvent | undefined {
    if (this.#untold.size === 0) return undefined;
    const event = this.#untold.get(seq);
    this.#untold.delete(seq);
    return event;
  }

  /** What was advanced with the refused commit never happened. */
  async #refused(conflict: Conflict, incoming: readonly EventBody[], taken: readonly number[]): Promise<void> {
    if (conflict.conflict !== "passes") return this.#lose(conflict);
    const { journal } = this.#ports;
    const counted = await passesOfTask(journal, this.#facts, this.#wait());
    const passes = isProblem(counted) ? storedPasses(journal, this.#facts) : counted;
    await this.#again([{ type: "passes.synced", passes }, ...incoming], taken);
  }

  /** What was advanced with these was not committed: they are taken once more, with what has come since. */
  async #again(incoming: readonly EventBody[], taken: readonly number[]): Promise<void> {
    // What is read back is what is on the disk.
    await this.#beside;
    this.#memory.state = this.#rebuild().state;
    this.#inbox = [...incoming, ...this.#inbox];
    this.#taken.unshift(...taken);
  }

  /** A stop ends a wait, once: what is charged in spite of it is waited for. */
  #wait(): Wait {
    const { signal } = this.#stopping;
    const { notice: told } = this.#ports;
    return signal.aborted ? { told } : { told, signal };
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

  /** Resolves when attempts that the run did not wait for have come back; null where none is out. */
  leftBehind(): Promise<unknown> | null {
    return this.#attempts.leftBehind();
  }

  #close(status: RunStatus, reason: string | null): void {
    this.#silence();
    this.#ending.resolve({ run: this.run, status, reason });
  }

  /** Ends what is being performed, without a record of it. */
  async #abandon(): Promise<void> {
    this.#silence();
    this.#attempts.cancelAll();
    await this.#attempts.over();
  }

  #silence(): void {
    this.#over = true;
    this.#attempts.silence();
    this.#stopListening();
    this.#timers.silence();
  }

  #carryOut(commands: readonly Command[]): void {
    for (const command of commands) {
      if (this.#over) return;
      switch (command.type) {
        case "perform":
          this.#attempts.perform(command);
          break;
        case "cancel":
          this.#attempts.cancel(command.node);
          break;
        case "suspend":
          this.#attempts.suspend(command.node);
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

  /** Telemetry: it changes nothing in the state, and rides in the next commit. */
  #tell(event: EventBody): void {
    this.#appendBeside([event], []);
  }

  #appendBeside(events: readonly EventBody[], taken: readonly number[]): void {
    const written = this.#write(events, taken);
    this.#beside = this.#beside.then(() => written);
  }

  async #write(events: readonly EventBody[], taken: readonly number[]): Promise<void> {
    try {
      const answer = await this.#ports.journal.append(this.run, events, this.#ports.clock.now(), taken);
      if (!("conflict" in answer)) this.#committed(answer);
      else if (!this.#over) await this.#lose(answer);
    } catch (error) {
      if (!this.#over) await this.#fail(error);
    }
  }
}
