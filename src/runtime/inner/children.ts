import { bodyBlueprint } from "../../graph/body.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { MapBody, Node } from "../../model/node.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import type { GateAnswered } from "../../model/gate-events.ts";
import type { HeadsMark } from "../../model/heads.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { isReopenable, type Usage } from "../../model/outcome.ts";
import type { JournalReader } from "../../ports/journal.ts";
import type { ChildEnd, ChildRefused, ChildRuns, Progress, Values } from "../../ports/performer.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import { reasonsOf } from "../admission/admit.ts";
import type { Leave, Observer, Refusal, ResumeRequest, RunHandle, StartRequest } from "../api.ts";
import { type Around, within } from "./child-blueprint.ts";
import { endOf } from "./child-end.ts";
import { decisionFor } from "./decision.ts";
import type { Live, RunFacts } from "../context.ts";
import type { EarlyAnswers } from "../decisions/gates.ts";
import { givenBy } from "../admission/inputs.ts";
import type { Memory } from "../memory/memory.ts";
import { Heads } from "./heads.ts";
import { idOfInside, segmentOf } from "./place.ts";
import { Standing } from "../memory/standing.ts";
import { less, sum, UsageMeter } from "../../engine/limits/usage-meter.ts";
import type { Outer } from "../values.ts";

/** What makes a run one inside another. */
export interface Inside {
  readonly run: string;
  readonly parent: ParentLink;
  readonly outer?: Outer;
  readonly callees: RunFacts["callees"];
  /** Absolute folder in which the top run was asked for. */
  readonly project: string;
}

/** How an engine begins runs inside others. */
export interface InnerEngine {
  start(request: StartRequest, observer: Observer, inside: Inside): Promise<RunHandle | Refusal>;
  resume(request: ResumeRequest, observer: Observer, inside: Inside): Promise<RunHandle | Refusal>;
}

interface ChildrenParts {
  readonly engine: InnerEngine;
  readonly journal: Pick<JournalReader, "find" | "read">;
  readonly blobs: BlobStore;
  readonly facts: RunFacts;
  readonly memory: Memory;
  /** Who is told of the run around them. */
  readonly observer: Observer;
  readonly early: EarlyAnswers;
  /** Called when what was under way in a run inside is committed. */
  readonly quiet: () => void;
  readonly values: Values;
  readonly node: Node;
  readonly attempt: Attempt;
  readonly signal: () => AbortSignal;
  readonly report: (progress: Progress) => void;
}

interface Definition {
  readonly blueprint: Blueprint;
  readonly contentHash: string;
  readonly document: string;
  readonly file?: string;
  readonly task: string;
  readonly inputs: Readonly<Record<string, Json>>;
}

type Fixed = Omit<ChildrenParts, "signal" | "report">;

export function childrenOf(fixed: Fixed, live: Live): Children {
  return new Children({ ...fixed, signal: () => live.signal, report: (progress) => live.report(progress) });
}

/** A run inside that is under way. */
interface Child {
  /** The beginning of paths that lead into it. */
  readonly prefix: string;
  readonly meter: UsageMeter;
  readonly standing: Standing;
  handle: RunHandle | null;
}

/**
 * The runs inside one attempt. Which run it is follows from the pass, so that
 * a later attempt finds what an earlier one left.
 */
export class Children implements ChildRuns {
  readonly #parts: ChildrenParts;
  readonly #live = new Map<string, Child>();
  readonly #heads = new Heads();
  /** What was last told of whether they wait. */
  #told: Extract<Progress, { kind: "waiting" }> = { kind: "waiting", waits: false };
  /** What those that are over used. */
  #done: Usage | undefined;
  /** What earlier attempts of the pass have reported of the same runs. */
  readonly #counted: Usage | undefined;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
    this.#counted = parts.memory.nodes.get(parts.node.id)?.used?.total();
  }

  async call(pin: string, task: string, inputs: Readonly<Record<string, Json>>): Promise<ChildEnd | ChildRefused> {
    const callee = this.#parts.facts.callees.get(pin);
    if (callee === undefined) return { refused: `the blueprint ${pin.slice(0, 12)} that it calls is not kept` };
    const blueprint = within(this.#around(undefined), callee.blueprint);
    const given = givenBy(inputs, blueprint.inputs);
    return this.#run({ ...callee, blueprint, contentHash: pin, task, inputs: given }, undefined);
  }

  async item(body: MapBody, index: number, value: Json): Promise<ChildEnd | ChildRefused> {
    const { facts, values } = this.#parts;
    const { blueprint: around, contentHash, task, inputs } = facts;
    const outer = { item: value, index, values, own: body.nodes };
    const blueprint = within(this.#around(outer), bodyBlueprint(around, body));
    return this.#run({ blueprint, contentHash, document: "", task, inputs }, outer);
  }

  #around(outer: Outer | undefined): Around {
    const { facts, memory } = this.#parts;
    const counted = outer === undefined ? this.#counted : this.#countedOf(outer);
    return { run: facts.run, blueprint: facts.blueprint, state: memory.state, counted };
  }

  /** What one item of several used in earlier attempts: what the others did is nothing that it has left. */
  #countedOf(item: Outer): Usage | undefined {
    if (this.#counted === undefined) return undefined;
    const meter = new UsageMeter();
    for (const { body } of this.#parts.journal.read(this.#inside(item).run)) meter.note(body);
    return meter.total();
  }

  /** What their journals hold by now. */
  mark(): HeadsMark {
    return this.#heads.mark();
  }

  usage(): Usage | undefined {
    const all = [...this.#live.values()].map(({ meter }) => meter.total());
    return less(sum([this.#done, ...all]), this.#counted);
  }

  /** Whether all that goes on only waits; false where nothing does. */
  canLeave(how: Leave): boolean {
    const live = [...this.#live.values()];
    return live.length > 0 && live.every(({ handle }) => handle?.canLeave(how) === true);
  }

  /** Resolves when all are let go of. */
  leave(how: Leave): Promise<unknown> {
    const live = [...this.#live.values()];
    return Promise.allSettled(live.flatMap(({ handle }) => (handle?.leave(how) === true ? [handle.end] : [])));
  }

  /** Hands an answer on; false where no run that is under way is meant. */
  deliver(answered: GateAnswered): boolean {
    for (const { prefix, handle } of this.#live.values()) {
      if (handle === null || !answered.node.startsWith(prefix)) continue;
      handle.deliver({ ...answered, node: answered.node.slice(prefix.length) });
      return true;
    }
    return false;
  }

  async #run(of: Definition, outer: Outer | undefined): Promise<ChildEnd | ChildRefused> {
    const { journal, blobs } = this.#parts;
    const inside = this.#inside(outer);
    if (inside.parent.path.split("/").length - 1 > limits.childLevels)
      return { refused: `calls and maps are nested deeper than ${limits.childLevels} levels` };
    const child: Child = {
      prefix: `${segmentOf(inside.parent)}/`,
      meter: new UsageMeter(),
      standing: new Standing((id) => of.blueprint.nodes.get(id)?.type === "wait"),
      handle: null,
    };
    this.#live.set(inside.run, child);
    try {
      const refused = await this.#goThrough(of, child, inside);
      if (refused !== null) return refused;
    } finally {
      this.#live.delete(inside.run);
      this.#done = sum([this.#done, child.meter.total()]);
      this.#look();
    }
    return endOf({ journal, blobs, run: inside.run, blueprint: of.blueprint, ...(outer && { outer }) });
  }

  /** Begins the run or goes on with it, and waits for its end. Answers why that could not be. */
  async #goThrough(of: Definition, child: Child, inside: Inside): Promise<ChildRefused | null> {
    const { journal, signal, facts, engine } = this.#parts;
    for (const event of journal.read(inside.run)) {
      child.meter.note(event.body);
      this.#heads.take(event);
    }
    const observer = this.#observer(child, inside.parent);
    const row = journal.find(inside.run);
    const { bindingHash, cwd, taskId, acceptRisk } = facts;
    const accepted = acceptRisk === undefined ? {} : { acceptRisk };
    if (row === null) {
      if (signal().aborted) return { refused: "it was stopped before it began" };
      const begun = await engine.start(
        { ...of, bindingHash, cwd, taskId, ...accepted, signal: signal() },
        observer,
        inside,
      );
      if ("refused" in begun) return { refused: reasonsOf(begun) };
      await this.#follow(child, begun);
      return null;
    }
    const isOver = row.endedAt !== null;
    const settle = isOver && !isReopenable(row.status) ? undefined : decisionFor(inside, this.#parts.memory, journal);
    if (isOver && settle === undefined) return null;
    const request = { run: inside.run, ...of, bindingHash, acceptChanges: true, signal: signal() };
    const begun = await engine.resume({ ...request, ...(settle && { settle }) }, observer, inside);
    if (!("refused" in begun)) await this.#follow(child, begun);
    // A decision that does not fit leaves it as it ended.
    else if (!isOver) return { refused: reasonsOf(begun) };
    return null;
  }

  /** Stops it with the attempt. */
  async #follow(child: Child, handle: RunHandle): Promise<void> {
    child.handle = handle;
    for (const { answered } of this.#parts.early.takeInside(child.prefix)) this.deliver(answered);
    const signal = this.#parts.signal();
    const stop = (): void => handle.stop("the run around it");
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await handle.end;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #inside(outer: Outer | undefined): Inside {
    const { facts, node, attempt } = this.#parts;
    const place = { node: node.id, ...(outer === undefined ? {} : { item: outer.index }) };
    const parent = {
      run: facts.run,
      ...place,
      pass: attempt.pass,
      blueprint: facts.account,
      path: `${facts.parent?.path ?? ""}${segmentOf(place)}/`,
    };
    return {
      run: idOfInside(parent),
      parent,
      callees: facts.callees,
      project: facts.project,
      ...(outer === undefined ? {} : { outer }),
    };
  }

  #observer({ meter, standing }: Child, parent: ParentLink): Observer {
    const { report, observer } = this.#parts;
    const told = observer.inside?.(parent);
    return {
      event: (event: JournalEvent) => {
        this.#heads.take(event);
        told?.event(event);
        if (standing.take(event.body)) this.#look();
        if (!meter.note(event.body)) return;
        const usage = this.usage();
        if (usage !== undefined) report({ kind: "agent", event: { type: "usage", usage } });
      },
      progress: (at, progress) => {
        told?.progress(at, progress);
        if (progress.kind === "line" || progress.kind === "process") report(progress);
      },
      inside: (inner) => told?.inside?.(inner) ?? unseen,
      quiet: this.#parts.quiet,
    };
  }

  /** Tells when nothing here is at work any more, when something is again, and when what waits is another. */
  #look(): void {
    const live = [...this.#live.values()].map(({ standing }) => standing);
    const rests = live.length > 0 && live.every((one) => one.rests);
    const waits = live.every((one) => one.waits);
    const pauses = rests && waits ? live.map(({ pause }) => pause?.until) : [undefined];
    const until = pauses.every((pause) => pause !== undefined) ? Math.min(...pauses) : undefined;
    const time = rests && !waits ? true : undefined;
    const { waits: rested, until: before, time: timed } = this.#told;
    if (rests === rested && until === before && time === timed) return;
    this.#told = { kind: "waiting", waits: rests, ...(until !== undefined && { until }), ...(time && { time }) };
    this.#parts.report(this.#told);
  }
}

const unseen: Observer = { event: () => undefined, progress: () => undefined };
