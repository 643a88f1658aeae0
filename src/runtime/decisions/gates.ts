import type { Node } from "../../model/node.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { GateAnswered, GateOpened } from "../../model/gate-events.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { Answer, GateKeeper, Question } from "../../ports/gate.ts";
import type { Message } from "../../ports/journal.ts";
import type { Approval } from "../../ports/performer.ts";
import { isDecision } from "./decision.ts";

/** An answer that has been given; `taken` is the message it came with, to be deleted by the commit that records it. */
export interface Given {
  readonly answered: GateAnswered;
  readonly taken: Message["id"] | null;
}

type Bound = Pick<GateOpened, "of" | "until">;

/** What stands between an attempt and the people that it asks. */
export interface NodeGate {
  /** What the performer asks with. */
  readonly keeper: GateKeeper;
  /** Whether a question stands, so that an answer is one to it or to another. */
  readonly isOpen: boolean;
  /** Whether nothing goes on before a person answers: not where one has, or the time for it is up. */
  readonly waits: boolean;
  /** What was given from outside, if that is what the performer now reports. */
  readonly given: Given | null;
  /** Whether what the performer now reports is what an earlier engine recorded. */
  readonly isRecorded: boolean;
  /**
   * A question stands; `of` is the gate before the node that is asked again, `until` when its time is up. False where
   * an answer to this very question is recorded, so that it need not be asked again.
   */
  opened(digest: string, bound?: Bound): boolean;
  /**
   * An answer from outside. Whether it is taken, which a late one is not; the performer then reports it like any other.
   */
  give(answered: GateAnswered, taken: Message["id"] | null): boolean;
}

/**
 * The gate of one attempt. It is answered once: by whoever is asked here, by a message of another process, or by what
 * an earlier engine recorded before it died. Which of them was first decides, and the others are turned away.
 */
export class AttemptGate implements NodeGate {
  readonly #inner: GateKeeper;
  readonly #takes: (answered: GateAnswered) => boolean;
  readonly #recorded: GateAnswered | undefined;
  readonly #now: () => number;
  #digest: string | null = null;
  #until = Infinity;
  #given: Given | null = null;
  #answer: ((answer: Answer) => void) | null = null;
  #over = false;

  /**
   * `takes` says which answers from outside are decisions at all; `recorded` is what
   * an earlier engine was answered, which was in time.
   */
  constructor(
    inner: GateKeeper,
    takes: (answered: GateAnswered) => boolean,
    recorded: GateAnswered | undefined,
    now: () => number,
  ) {
    this.#inner = inner;
    this.#takes = takes;
    this.#recorded = recorded;
    this.#now = now;
    if (recorded !== undefined) this.#given = { answered: recorded, taken: null };
  }

  opened(digest: string, { until = Infinity }: Bound = {}): boolean {
    this.#digest = digest;
    this.#until = until;
    this.#over = false;
    if (this.#given !== null && this.#given.answered.digest !== digest) this.#given = null;
    return this.#given === null;
  }

  get isOpen(): boolean {
    return this.#digest !== null;
  }

  get waits(): boolean {
    return this.isOpen && this.#given === null && !this.#isLate;
  }

  give(answered: GateAnswered, taken: Message["id"] | null): boolean {
    if (this.#over || this.#given !== null || answered.digest !== this.#digest) return false;
    if (this.#isLate || !this.#takes(answered)) return false;
    this.#given = { answered, taken };
    this.#answer?.(answerOf(answered));
    return true;
  }

  /** Timers may be late, as after a process was stopped: the time decides. */
  get #isLate(): boolean {
    return this.#now() >= this.#until;
  }

  get isRecorded(): boolean {
    return this.#recorded !== undefined && this.#given?.answered === this.#recorded;
  }

  get given(): Given | null {
    return this.#given;
  }

  readonly keeper: GateKeeper = {
    ask: (question, signal) => this.#ask(question, signal),
  };

  async #ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (this.#given !== null) return answerOf(this.#given.answered);
    const settled = new AbortController();
    const outside = new Promise<Answer>((resolve) => {
      this.#answer = resolve;
    });
    const here = this.#inner.ask(question, AbortSignal.any([signal, settled.signal]));
    const answer = await Promise.race([outside, here]);
    this.#over = true;
    settled.abort();
    return this.#given === null && this.#isLate ? { kind: "nobody" } : answer;
  }
}

/**
 * The gate of an attempt that may ask for leave, one question at a time: of an agent at work, or of a node whose
 * approval does not stand any more. An agent at work goes on alive: it is never parked.
 */
class PermissionGate implements NodeGate {
  readonly #inner: GateKeeper;
  readonly #pass: number;
  readonly #approvals: readonly Approval[];
  readonly #now: () => number;
  #question: AttemptGate | null = null;
  readonly isRecorded = false;

  constructor(inner: GateKeeper, { pass }: Attempt, approvals: readonly Approval[], now: () => number) {
    this.#inner = inner;
    this.#pass = pass;
    this.#approvals = approvals;
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#question !== null;
  }

  get waits(): boolean {
    return this.#question?.waits === true;
  }

  get given(): Given | null {
    return this.#question?.given ?? null;
  }

  opened(digest: string, { of }: Bound = {}): boolean {
    // Each gate has its own: nobody need be among those of another that was answered too.
    const approvers = this.#approvals.find(({ gate }) => gate.id === of)?.gate.approvers;
    const takes = ({ pass, answer, by }: GateAnswered): boolean =>
      pass === this.#pass && typeof answer === "boolean" && approvers?.includes(by) !== false;
    this.#question = new AttemptGate(this.#inner, takes, undefined, this.#now);
    return this.#question.opened(digest);
  }

  give(answered: GateAnswered, taken: Message["id"] | null): boolean {
    return this.#question?.give(answered, taken) ?? false;
  }

  get keeper(): GateKeeper {
    const ask: GateKeeper["ask"] = (question, signal) => (this.#question?.keeper ?? this.#inner).ask(question, signal);
    return { ...(this.#inner.nobody === true ? { nobody: true } : {}), ask };
  }
}

/**
 * The gate of an attempt of this node, null where it asks nobody; whoever is asked here sees it under its `path` from
 * the top run. What was said to an earlier pass is no answer to this one, though it asks the same.
 */
export function gateOf(
  node: Node,
  attempt: Attempt,
  inner: GateKeeper,
  path: string,
  now: () => number,
  recorded: GateAnswered | undefined,
  approvals: readonly Approval[] = [],
): NodeGate | null {
  const isAgent = node.type === "agent" || node.type === "agent_sandbox";
  if (node.type !== "human" && !isAgent && approvals.length === 0) return null;
  const ask: GateKeeper["ask"] = (question, signal) => {
    const of = question.node === node.id ? {} : { of: question.node };
    return inner.ask({ ...question, node: path, ...of }, signal);
  };
  const asking: GateKeeper = { ...inner, ask };
  if (node.type !== "human") return new PermissionGate(asking, attempt, approvals, now);
  const { pass } = attempt;
  const takes = (answered: GateAnswered): boolean => answered.pass === pass && isDecision(node, answered);
  return new AttemptGate(asking, takes, recorded?.pass === pass ? recorded : undefined, now);
}

/** Answers to questions that are not asked yet. What is beyond the bound stays in the store for the next owner. */
export class EarlyAnswers {
  #kept: Given[] = [];

  keep(given: Given): void {
    if (this.#kept.length < limits.earlyAnswers) this.#kept.push(given);
  }

  /** Those to a node, in the order in which they came; they are kept no longer. */
  takeTo(node: string): readonly Given[] {
    return this.#take(({ answered }) => answered.node === node);
  }

  /** As `takeTo`, those to nodes of a run inside, by the beginning of their path. */
  takeInside(prefix: string): readonly Given[] {
    return this.#take(({ answered }) => answered.node.startsWith(prefix));
  }

  #take(wanted: (given: Given) => boolean): readonly Given[] {
    const taken = this.#kept.filter(wanted);
    this.#kept = this.#kept.filter((given) => !taken.includes(given));
    return taken;
  }
}

function answerOf({ answer, by }: GateAnswered): Answer {
  if (typeof answer === "boolean") return { kind: answer ? "approved" : "declined", by };
  if (typeof answer === "string") return { kind: "text", by, text: answer };
  return valueAnswer(answer, by);
}

function valueAnswer(value: Json, by: string): Answer {
  return { kind: "value", by, value };
}
