import { suspension } from "../../engine/suspension.ts";
import { chargesIn } from "../../model/charges.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { EventBody, NodeEnded, NodeSettled, NodeUnconfirmed } from "../../model/events.ts";
import type { Node } from "../../model/node.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { timeoutOf } from "../../model/timeouts.ts";
import type { ChildRuns, Progress } from "../../ports/performer.ts";
import type { Leave, Observer } from "../api.ts";
import { type Children, childrenOf, type InnerEngine } from "../inner/children.ts";
import { contextOf, type ContextOptions, type Live, type RunFacts } from "../context.ts";
import { AttemptGate, EarlyAnswers, gateOf, type Given, type NodeGate } from "../decisions/gates.ts";
import type { Memory } from "../memory/memory.ts";
import { unsaidBy } from "../memory/unsaid.ts";
import type { EngineOptions } from "../options.ts";
import { heldToOutputs, isPromised } from "../outputs.ts";
import { Performance } from "./performance.ts";
import { clipped } from "./result.ts";
import type { Mask } from "../text.ts";
import { RunValues } from "../values.ts";

export type Ports = EngineOptions & { readonly inner: InnerEngine };

interface OnItsWay {
  readonly performance: Performance;
  readonly gate: NodeGate | null;
}

/** What comes of attempts. */
export interface AttemptEvents {
  /** To be advanced, several together; `taken` is the message it came by. */
  put(event: EventBody | readonly EventBody[], taken?: number): void;
  /** Telemetry: it changes nothing in the state. */
  tell(event: EventBody): void;
  /** A message that came too late, or answers something else. */
  discard(taken: number): void;
  /** Resolves when all that was put is in the journal, or nothing is taken any more. */
  recorded(): Promise<void>;
}

/** The attempts of one run that are on their way, and the answers given to them. */
export class Attempts {
  readonly #ports: Ports;
  readonly #facts: RunFacts;
  readonly #memory: Memory;
  readonly #observer: Observer;
  readonly #events: AttemptEvents;
  readonly #values: RunValues;
  readonly #live = new Map<string, OnItsWay>();
  /** The runs inside those that may have some. */
  readonly #inside = new Map<string, Children>();
  /** Over, though their performers have not come back. */
  readonly #left = new Set<Performance>();
  /** Those to be let go of once they only wait, and those that have been. */
  readonly #suspending = new Set<string>();
  readonly #suspended = new Set<string>();
  readonly #early = new EarlyAnswers();
  /** By node, the pass that may not begin. */
  readonly #refused = new Map<string, { readonly pass: number; readonly result: NodeResult }>();
  #holdRuns = false;
  #silent = false;

  constructor(ports: Ports, facts: RunFacts, memory: Memory, observer: Observer, events: AttemptEvents) {
    this.#ports = ports;
    this.#facts = facts;
    this.#memory = memory;
    this.#observer = observer;
    this.#events = events;
    const mask: Mask = (text) => ports.secrets.mask(text);
    this.#values = new RunValues({ ...facts, results: memory.nodes.results }, ports.can.blobs, mask);
  }

  /** Passes that these events charge end with `result` before anything of them begins, as do attempts that follow. */
  refusePasses(events: readonly EventBody[], result: NodeResult): void {
    for (const { node, pass } of chargesIn(events)) this.#refused.set(node, { pass, result });
  }

  perform({ node: id, pass, attempt: n }: Attempt): void {
    const { performers, can, clock, environment } = this.#ports;
    const attempt = { node: id, pass, attempt: n };
    const node = this.#facts.blueprint.nodes.get(id);
    const performer = node === undefined ? undefined : performers.get(node.type);
    // Admission saw to both.
    if (node === undefined || performer === undefined)
      throw new Error(`node ${id} of run ${this.#facts.run} cannot be performed`);
    const { nodes } = this.#memory;
    const kept = nodes.get(id);
    const refused = this.#refused.get(id);
    if (refused?.pass === pass)
      return queueMicrotask(() => this.#events.put({ type: "node.ended", ...attempt, result: refused.result }));
    const path = `${this.#facts.parent?.path ?? ""}${id}`;
    const approvals = nodes.approvalsOf(this.#facts.blueprint, id);
    const gate = gateOf(node, attempt, can.gates, path, () => clock.now(), kept?.answer, approvals);
    const own = gate === null ? can : { ...can, gates: gate.keeper };
    const parts: ContextOptions = {
      facts: this.#facts,
      node,
      attempt,
      pass: nodes.passOf(id, clock.now()),
      approvals,
      values: this.#values,
      can: own,
      environment,
      recorded: () => this.#events.recorded(),
      children: (live: Live) => this.#childrenOf(parts, live),
    };
    const performance = new Performance({
      performer,
      timeoutMs: timeoutOf(node),
      clock,
      context: (live) => contextOf(parts, live),
      report: (progress) => this.#progress(attempt, gate, progress),
      held: this.#held(node),
      ended: (result) => {
        if (this.#isLetGo(id, result)) return this.#over(...suspension(attempt));
        const heads = this.#inside.get(id)?.mark();
        const ended = { type: "node.ended", node: id, pass, attempt: n, result: this.#told(result) } as const;
        this.#over(heads === undefined ? ended : { ...ended, heads });
      },
      leftBehind: (reason) => {
        this.#left.add(performance);
        void performance.gone.then(() => this.#left.delete(performance));
        this.#over({ type: "node.unconfirmed", ...attempt, reason, ...unsaidBy(node, nodes) });
      },
    });
    this.#live.set(id, { performance, gate });
  }

  /** What a performer says of what it was given may name a sensitive input: that has passed no boundary. */
  #told(result: NodeResult): NodeResult {
    const { reason } = result;
    if (reason === undefined) return result;
    return { ...result, reason: { ...reason, text: this.#ports.secrets.mask(reason.text) } };
  }

  #held(node: Node): ((result: NodeResult) => Promise<NodeResult>) | undefined {
    const facts = this.#facts;
    if (!isPromised(node, facts.blueprint)) return undefined;
    return (result) => heldToOutputs({ node, facts, blobs: this.#ports.can.blobs }, result);
  }

  #childrenOf(of: ContextOptions, live: Live): ChildRuns {
    const { journal, inner, can } = this.#ports;
    const quiet = (): void => this.#letGo(of.attempt.node);
    const around = { memory: this.#memory, observer: this.#observer, early: this.#early, quiet };
    const children = childrenOf({ ...of, ...around, engine: inner, journal, blobs: can.blobs }, live);
    this.#inside.set(of.attempt.node, children);
    this.#holdRuns = true;
    return children;
  }

  /** Whether one of them was given a way to begin runs inside it. */
  get holdRuns(): boolean {
    return this.#holdRuns;
  }

  cancel(node: string): void {
    this.#suspending.delete(node);
    this.#live.get(node)?.performance.cancel();
  }

  /** Lets go of one that only waits, and of the runs inside it, so that it can be made again. */
  suspend(node: string): void {
    this.#suspending.add(node);
    this.#letGo(node);
  }

  /** What goes on inside may be at work once more, or in the middle of a commit: it is looked at again after that. */
  #letGo(node: string): void {
    const attempt = this.#live.get(node);
    const inside = this.#inside.get(node);
    if (attempt === undefined || !this.#suspending.has(node) || inside?.canLeave("suspend") === false) return;
    this.#suspending.delete(node);
    this.#suspended.add(node);
    void inside?.leave("suspend");
    attempt.performance.cancel();
  }

  /** Whether what an attempt ends with says nothing but that it was let go of. */
  #isLetGo(node: string, { outcome }: NodeResult): boolean {
    return this.#suspended.delete(node) && (this.#inside.has(node) || outcome === "cancelled");
  }

  cancelAll(): void {
    for (const { performance } of this.#live.values()) performance.cancel();
  }

  /** Ends their processes without grace. */
  endAtOnce(): void {
    for (const { performance } of this.#live.values()) performance.endAtOnce();
  }

  /** Resolves when none is on its way any more. */
  async over(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ performance }) => performance.over()));
  }

  /** Resolves when those that were left behind have come back; null where none is out. */
  leftBehind(): Promise<unknown> | null {
    return this.#left.size === 0 ? null : Promise.all([...this.#left].map((performance) => performance.gone));
  }

  /** From here on nothing that they report is taken. */
  silence(): void {
    this.#silent = true;
  }

  /**
   * Whether nothing but questions that wait for people stands, here and in the runs inside, and in what is suspended
   * nodes that wait for a time: an agent that asks is at work.
   */
  canLeave(how: Leave): boolean {
    return [...this.#live].every(([id, { gate }]) => {
      if (how === "suspend" && this.#facts.blueprint.nodes.get(id)?.type === "wait") return true;
      // What holds runs has begun: no second yes is waited for before it any more.
      const inside = this.#inside.get(id);
      if (inside !== undefined || gate === null) return inside?.canLeave(how) === true;
      return gate.waits && (gate instanceof AttemptGate || this.#memory.nodes.isHeld(id));
    });
  }

  /** Resolves when the runs inside, which can be left so, are let go of. */
  leave(how: Leave): Promise<unknown> {
    return Promise.all([...this.#inside.values()].map((children) => children.leave(how)));
  }

  /** One for a question that is not asked yet, as after a resume, is kept until it is. */
  answer(given: Given): void {
    const gate = this.#live.get(given.answered.node)?.gate;
    if (gate?.isOpen === true) return this.#give(gate, given);
    const inside = [...this.#inside.values()].some((children) => children.deliver(given.answered));
    if (!inside) this.#early.keep(given);
  }

  #give(gate: NodeGate, { answered, taken }: Given): void {
    if (!gate.give(answered, taken) && taken !== null) this.#events.discard(taken);
  }

  #over(event: NodeEnded | NodeUnconfirmed, ...more: readonly NodeSettled[]): void {
    this.#live.delete(event.node);
    this.#inside.delete(event.node);
    this.#events.put([event, ...more]);
  }

  #progress(attempt: Attempt, gate: NodeGate | null, progress: Progress): void {
    if (this.#silent) return;
    this.#observer.progress(attempt, progress);
    switch (progress.kind) {
      case "line":
        break;
      case "process":
        this.#events.tell({ type: "node.process", ...attempt, process: progress.process });
        break;
      case "agent": {
        const event = clipped({ type: "agent.progressed", ...attempt, event: progress.event });
        if (progress.event.type === "usage") this.#events.put(event);
        else this.#events.tell(event);
        break;
      }
      case "waiting":
        this.#events.put({
          type: "node.waiting",
          ...attempt,
          waits: progress.waits,
          ...(progress.until === undefined ? {} : { until: progress.until }),
          ...(progress.time && { time: true }),
        });
        break;
      case "gate_opened": {
        const { kind: _, ...question } = progress;
        const taken = gate?.given?.taken ?? null;
        if (gate?.opened(question.digest, question) !== false)
          this.#events.put({ type: "gate.opened", ...attempt, ...question });
        // What it was answered before it had to be asked again.
        if (taken !== null && gate?.given === null) this.#events.discard(taken);
        if (gate !== null) for (const given of this.#early.takeTo(attempt.node)) this.#give(gate, given);
        break;
      }
      case "gate_answered": {
        const { by, digest, answer } = progress;
        if (gate?.isRecorded === true) break;
        const { taken = null, answered } = gate?.given ?? {};
        const id = answered?.id === undefined ? {} : { id: answered.id };
        this.#events.put({ type: "gate.answered", ...attempt, ...id, by, digest, answer }, taken ?? undefined);
        break;
      }
    }
  }
}
