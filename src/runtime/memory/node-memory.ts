import type { AgentEvent } from "../../model/agent-event.ts";
import type {
  AgentProgressed,
  EventBody,
  InnerDecision,
  NodeEnded,
  NodeSettled,
  NodeStarted,
} from "../../model/events.ts";
import type { GateAnswered, GateBasis, GateOpened } from "../../model/gate-events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { NodeResult } from "../../model/outcome.ts";
import type { Approval } from "../../ports/performer.ts";
import { withNext } from "./trail.ts";
import { UsageMeter } from "../../engine/limits/usage-meter.ts";

export type NodeEvent = Extract<EventBody, { readonly node: string }>;

/** What is kept of a node beside the state: of its latest attempt and the pass that this belongs to. */
export class NodeMemory {
  readonly id: string;
  /** When the latest pass began, in milliseconds since the epoch. */
  since = 0;
  /** The latest recorded result: what the values of a run are read from. */
  result: NodeResult | undefined;
  /** Processes of an attempt that has no outcome yet. */
  processes: ProcessIdentity[] | undefined;
  /** The answer recorded for an attempt that has no outcome yet. */
  answer: GateAnswered | undefined;
  /** The question to a person that stands. */
  #asking: GateOpened | undefined;
  /** What the latest pass was given beside its prompt, by SHA-256. */
  bundle: string | undefined;
  /** What agents did in the latest pass, the latest of it. */
  trail: readonly AgentEvent[] | undefined;
  /** Decisions about runs inside it, in order, since an attempt has ended: that one had its chance to hand them on. */
  decisions: InnerDecision[] | undefined;
  /** What attempts of the latest pass used of models. */
  used: UsageMeter | undefined;
  /** Where the latest pass came from, until its latest attempt has begun to do anything. */
  arrivals: readonly string[] = none;
  /** Where the latest pass came from. */
  #came: readonly string[] = none;
  /** Whether an attempt of the latest pass has begun to do anything. */
  begun = false;
  /** Of a gate that was answered with yes. */
  approved: (Standing & Pick<Approval, "pass" | "elsewhere">) | undefined;
  /** By gate before it, what was approved there once more for the latest pass. */
  renewed: Map<string, Standing> | undefined;
  /** What the question was about that was answered last. */
  #over: GateBasis | undefined;
  /** Whether the latest attempt ended in a way that nobody recorded. */
  #isUnrecorded = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Whether it had not begun when it was last heard of: the question of a gate before it stands once more. */
  get isHeld(): boolean {
    return this.#asking?.of !== undefined && this.arrivals.length > 0;
  }

  /** `elsewhere` where it happened in the run that this one is a fork of. */
  take(body: NodeEvent, at: number, elsewhere = false): void {
    switch (body.type) {
      // One that waits for a place takes its arrivals with it: its claim then names none.
      case "node.queued":
        this.#come(body.from);
        break;
      case "node.started":
        this.#begin(body, at);
        break;
      case "agent.progressed":
        this.#progressed(body);
        break;
      case "node.process":
        this.#act();
        (this.processes ??= []).push(body.process);
        break;
      case "gate.opened":
        this.#asking = body;
        break;
      case "gate.answered":
        this.answer = body;
        this.#over = this.#asking?.over ?? this.#over;
        this.#renew(body);
        this.#asking = undefined;
        break;
      case "node.retrying":
        // What did not begin still stands on what was approved.
        if (body.result.beforeEffect !== true) this.#act();
        this.processes = undefined;
        if (body.result.usage !== undefined) this.#meter(body);
        break;
      case "node.ended":
        this.#end(body, elsewhere);
        break;
      case "node.unconfirmed":
        this.#isUnrecorded = true;
        this.#meter(body);
        break;
      case "node.settled":
        this.#settle(body);
        break;
      // What waits inside it has begun.
      case "node.waiting":
        this.#act();
        break;
      case "retry.due":
      case "node.skipped":
        break;
    }
  }

  #begin(body: NodeStarted, at: number): void {
    this.#isUnrecorded = false;
    // What an earlier attempt asked says nothing of this one: it may not ask again, and begin.
    this.#asking = undefined;
    if (body.from.length > 0) this.#come(body.from);
    // Another attempt, or a pass that a person decided on, is held to the same yes.
    else this.arrivals = this.#came;
    if (body.attempt > 1) return;
    this.since = at;
    this.bundle = undefined;
    this.trail = undefined;
    this.decisions = undefined;
    this.used = undefined;
  }

  #come(from: readonly string[]): void {
    this.arrivals = this.#came = from;
    this.begun = false;
    this.renewed = undefined;
  }

  #act(): void {
    this.arrivals = none;
    this.begun = true;
  }

  #renew({ answer, digest }: GateAnswered): void {
    const { of, over, digest: asked } = this.#asking ?? {};
    if (of === undefined || asked !== digest || answer !== true) return;
    (this.renewed ??= new Map()).set(of, standingOf(digest, over));
    // What has begun since is what this yes was given for.
    this.begun = false;
  }

  #progressed(body: AgentProgressed): void {
    const { event } = body;
    this.#act();
    if (event.type === "context") this.bundle = event.bundle;
    else if (event.type === "usage") this.#meter(body);
    else this.trail = withNext(this.trail, event);
  }

  #end(body: NodeEnded, elsewhere: boolean): void {
    const { result, pass } = body;
    const { answer } = this;
    const isYes = answer?.answer === true && result.outcome === "success";
    const given = elsewhere ? ({ pass, elsewhere } as const) : { pass };
    this.approved = isYes ? { ...given, ...standingOf(answer.digest, this.#over) } : undefined;
    this.result = result;
    this.processes = undefined;
    this.answer = undefined;
    this.#asking = undefined;
    this.decisions = undefined;
    if (result.usage !== undefined) this.#meter(body);
  }

  #settle({ as, inside }: NodeSettled): void {
    if (inside !== undefined) (this.decisions ??= []).push(inside);
    if (as === "again" || !this.#isUnrecorded) return;
    // What an earlier pass said is not what this one would have.
    this.#isUnrecorded = false;
    this.result = undefined;
  }

  #meter(body: EventBody): void {
    (this.used ??= new UsageMeter()).note(body);
  }
}

type Standing = Pick<Approval, "digest" | "over">;

function standingOf(digest: string, over: GateBasis | undefined): Standing {
  return over === undefined ? { digest } : { digest, over };
}

const none: readonly string[] = [];
