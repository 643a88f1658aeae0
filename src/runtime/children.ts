import { createHash } from "node:crypto";
import { budgetsOf } from "../engine/usage.ts";
import type { Blueprint, MapBody, Node } from "../model/blueprint.ts";
import type { Attempt, InnerDecision, JournalEvent, ParentLink } from "../model/events.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import { isReopenable, type Usage } from "../model/outcome.ts";
import type { JournalReader } from "../ports/journal.ts";
import type { ChildEnd, ChildRefused, ChildRuns, Progress, Values } from "../ports/performer.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Observer, Refusal, ResumeRequest, RunHandle, Settlement, StartRequest } from "./api.ts";
import { endOf } from "./child-end.ts";
import type { Live, RunFacts } from "./context.ts";
import type { Memory } from "./memory.ts";
import { less, sum, UsageMeter } from "./usage-meter.ts";
import type { Outer } from "./values.ts";

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

export function childrenOf(fixed: Fixed, live: Live): ChildRuns {
  return new Children({ ...fixed, signal: () => live.signal, report: (progress) => live.report(progress) });
}

/** The runs inside one attempt. Which run it is follows from the pass, so that a later attempt finds what an earlier one left. */
class Children implements ChildRuns {
  readonly #parts: ChildrenParts;
  readonly #meters = new Map<string, UsageMeter>();
  /** What those that are over used. */
  #done: Usage | undefined;
  /** What earlier attempts of the pass have reported of the same runs. */
  readonly #counted: Usage | undefined;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
    this.#counted = parts.memory.used.get(parts.node.id)?.total();
  }

  async call(pin: string, task: string, inputs: Readonly<Record<string, Json>>): Promise<ChildEnd | ChildRefused> {
    const callee = this.#parts.facts.callees.get(pin);
    if (callee === undefined) return { refused: `the blueprint ${pin.slice(0, 12)} that it calls is not kept` };
    const blueprint = this.#within(callee.blueprint);
    return this.#run({ ...callee, blueprint, contentHash: pin, task, inputs }, undefined);
  }

  async item(body: MapBody, index: number, value: Json): Promise<ChildEnd | ChildRefused> {
    const { facts, values } = this.#parts;
    const { blueprint: around, contentHash, task, inputs } = facts;
    const { entry, nodes, edges } = body;
    const own = { outputs: {}, entry, nodes, edges, limits: withoutSteps(around.limits) };
    const { finally: _last, ...rest } = around;
    const blueprint = this.#within({ ...rest, ...own });
    const outer = { item: value, index, values, own: nodes };
    return this.#run({ blueprint, contentHash, document: "", task, inputs }, outer);
  }

  usage(): Usage | undefined {
    const all = [...this.#meters.values()].map((meter) => meter.total());
    return less(sum([this.#done, ...all]), this.#counted);
  }

  async #run(of: Definition, outer: Outer | undefined): Promise<ChildEnd | ChildRefused> {
    const { journal, signal, facts } = this.#parts;
    const inside = this.#inside(outer);
    if (inside.parent.path.split("/").length - 1 > limits.childLevels)
      return { refused: `calls and maps are nested deeper than ${limits.childLevels} levels` };
    const meter = new UsageMeter();
    this.#meters.set(inside.run, meter);
    for (const { body } of journal.read(inside.run)) meter.note(body);
    const observer = this.#observer(meter);
    const row = journal.find(inside.run);
    const { bindingHash } = facts;
    let begun: RunHandle | Refusal | null = null;
    if (row === null) {
      if (signal().aborted) return { refused: "it was stopped before it began" };
      begun = await this.#parts.engine.start(
        { ...of, bindingHash, cwd: facts.cwd, taskId: facts.taskId },
        observer,
        inside,
      );
    } else if (row.endedAt === null || isReopenable(row.status)) {
      const settle = row.endedAt === null ? undefined : this.#decision(inside.run, outer?.index);
      const request = { run: inside.run, ...of, bindingHash, acceptChanges: true };
      if (row.endedAt === null || settle !== undefined)
        begun = await this.#parts.engine.resume({ ...request, ...(settle && { settle }) }, observer, inside);
    }
    if (begun !== null && "refused" in begun) {
      if (row?.endedAt === undefined || row.endedAt === null) return { refused: begun.message };
    } else if (begun !== null) await this.#follow(begun);
    this.#meters.delete(inside.run);
    this.#done = sum([this.#done, meter.total()]);
    const { blobs } = this.#parts;
    return endOf({ journal, blobs, run: inside.run, blueprint: of.blueprint, ...(outer && { outer }) });
  }

  /** Stops it with the attempt. */
  async #follow(handle: RunHandle): Promise<void> {
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
    const segment = outer === undefined ? node.id : `${node.id}[${outer.index}]`;
    const parent = {
      run: facts.run,
      node: node.id,
      pass: attempt.pass,
      ...(outer === undefined ? {} : { item: outer.index }),
      blueprint: facts.parent?.blueprint ?? facts.blueprint.name,
      path: `${facts.parent?.path ?? ""}${segment}/`,
    };
    return {
      run: idOf(parent),
      parent,
      callees: facts.callees,
      project: facts.project,
      ...(outer === undefined ? {} : { outer }),
    };
  }

  #observer(meter: UsageMeter): Observer {
    const { report } = this.#parts;
    return {
      event: ({ body }: JournalEvent) => {
        if (!meter.note(body)) return;
        const usage = this.usage();
        if (usage !== undefined) report({ kind: "agent", event: { type: "usage", usage } });
      },
      progress: (_, progress) => {
        if (progress.kind === "line" || progress.kind === "process") report(progress);
      },
    };
  }

  /** The first decision about this run that it has not been given yet. */
  #decision(run: string, index: number | undefined): Settlement | undefined {
    const { memory, node, journal } = this.#parts;
    const prefix = index === undefined ? "" : `[${index}]/`;
    const mine = (memory.decisions.get(node.id) ?? []).filter((one) => one.node.startsWith(prefix));
    const given = [...journal.read(run)].filter(({ body }) => body.type === "node.settled" && !ownBy.has(body.by));
    const next: InnerDecision | undefined = mine[given.length];
    return next && { ...next, node: next.node.slice(prefix.length) };
  }

  /** Its budget is what is left of the run around it, its folder is that run's; what is protected and recorded there is so inside too. */
  #within(blueprint: Blueprint): Blueprint {
    const { facts, memory } = this.#parts;
    const bounds = { ...blueprint.limits };
    for (const { of, limit, used } of budgetsOf(memory.state)) {
      const counted = of === "tokens" ? tokensOf(this.#counted) : (this.#counted?.cost ?? 0);
      const left = Math.max(0, limit - used + counted);
      if (of === "tokens") Object.assign(bounds, { tokens: Math.min(left, bounds.tokens ?? left) });
      else {
        const currency = facts.blueprint.limits.cost?.currency ?? "USD";
        const own = bounds.cost?.currency === currency ? bounds.cost.amount : left;
        Object.assign(bounds, { cost: { amount: Math.min(left, own), currency } });
      }
    }
    const protect = [
      ...new Set([...(blueprint.workspace.protect ?? []), ...(facts.blueprint.workspace.protect ?? [])]),
    ];
    // The tree is the caller's: whether attempts in it begin anew is the caller's to say.
    const { checkpoint } = facts.blueprint.workspace;
    const workspace = {
      ...(protect.length === 0 ? {} : { protect }),
      ...(checkpoint === undefined ? {} : { checkpoint }),
    };
    const { state: _state, ...records } = { ...blueprint.records, counters: facts.blueprint.records.counters };
    return { ...blueprint, limits: bounds, workspace, records: withoutAbsent(records) };
  }
}

/** Who settles an attempt without a person. */
const ownBy: ReadonlySet<string> = new Set(["engine", "idempotent", "probe"]);

function withoutAbsent({ counters, ...rest }: { readonly counters?: string | undefined }): Blueprint["records"] {
  return counters === undefined ? rest : { ...rest, counters };
}

/** Steps are each run's own. */
function withoutSteps({ steps: _steps, ...rest }: Blueprint["limits"]): Blueprint["limits"] {
  return rest;
}

function tokensOf(usage: Usage | undefined): number {
  return usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
}

/** As long as no other run's, so that none begins another; the same after a crash. */
function idOf({ run, node, pass, item }: ParentLink): string {
  return createHash("sha256")
    .update(JSON.stringify([run, node, pass, item ?? null]))
    .digest("hex")
    .slice(0, 20);
}
