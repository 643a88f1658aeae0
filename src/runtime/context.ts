import type { AgentEvent } from "../model/agent-event.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Node } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { ParentLink } from "../model/events.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import { timeoutOf } from "../model/timeouts.ts";
import type { ActionContext, Approval, Capabilities, ChildRuns, Progress, Values } from "../ports/performer.ts";
import type { MakeEnvironment } from "./environment/child.ts";
import type { Callees } from "./api.ts";
import { orStopped } from "./time/patience.ts";
import { type Outer, textOfJson } from "./values.ts";

/** What stays the same over a run. */
export interface RunFacts {
  readonly run: string;
  readonly taskId: string;
  readonly task: string;
  readonly blueprint: Blueprint;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Absolute folder that nodes work in. */
  readonly cwd: string;
  /** Absolute folder in which the run was asked for: the same, unless the run has a worktree. */
  readonly project: string;
  /** Name of the blueprint that passes count under: of the outermost run as it began, whatever it goes on with. */
  readonly account: string;
  /** Whether who started it takes a task of high risk upon them. */
  readonly acceptRisk?: true;
  readonly contentHash: string;
  readonly bindingHash: string;
  readonly callees: Callees;
  /** Of a run inside another: where it belongs, and in a map what it is about. */
  readonly parent?: ParentLink;
  readonly outer?: Outer;
}

/** What an attempt reports to and is ended by. */
export interface Live {
  readonly signal: AbortSignal;
  report(progress: Progress): void;
}

/** What an attempt has of its pass: when that began, what an earlier attempt was given, and what it did. */
export type PassSoFar = Pick<ActionContext, "since" | "bundle" | "earlier">;

export interface ContextOptions {
  readonly facts: RunFacts;
  readonly node: Node;
  readonly attempt: Attempt;
  readonly pass: PassSoFar;
  readonly approvals?: readonly Approval[] | undefined;
  readonly values: Values;
  readonly can: Capabilities;
  readonly environment: MakeEnvironment;
  /** Resolves when what was reported is in the journal; absent where nothing is. */
  readonly recorded?: () => Promise<void>;
  /** Makes the runs inside the attempt; absent where none can be. */
  readonly children?: (live: Live) => ChildRuns;
}

export function contextOf(options: ContextOptions, live: Live): ActionContext {
  return new AttemptContext(options, live);
}

/** A class, since an object with accessors of its own costs more to make than all else about an attempt. */
class AttemptContext implements ActionContext {
  readonly run: string;
  readonly taskId: string;
  readonly blueprint: Blueprint;
  readonly node: Node;
  readonly attempt: Attempt;
  readonly since: number;
  readonly bundle?: string;
  readonly earlier?: readonly AgentEvent[];
  readonly approvals?: readonly Approval[];
  readonly cwd: string;
  readonly values: Values;
  readonly can: Capabilities;
  readonly timeoutMs: number | null;
  readonly outputBytes: number;
  readonly #options: ContextOptions;
  readonly #live: Live;
  #children: ChildRuns | undefined;

  constructor(options: ContextOptions, live: Live) {
    const { facts, node, pass } = options;
    this.run = facts.run;
    this.taskId = facts.taskId;
    this.blueprint = facts.blueprint;
    this.node = node;
    this.attempt = options.attempt;
    this.since = pass.since;
    if (pass.bundle !== undefined) this.bundle = pass.bundle;
    if (pass.earlier !== undefined) this.earlier = pass.earlier;
    if (options.approvals !== undefined) this.approvals = options.approvals;
    this.cwd = facts.cwd;
    this.values = options.values;
    this.can = options.can;
    this.timeoutMs = timeoutOf(node);
    this.outputBytes = facts.blueprint.limits.outputBytes ?? limits.outputDefaultBytes;
    this.#options = options;
    this.#live = live;
  }

  get children(): ChildRuns {
    this.#children ??= this.#options.children?.(this.#live);
    if (this.#children === undefined) throw new Error(`nothing runs inside ${this.node.id} here`);
    return this.#children;
  }

  get signal(): AbortSignal {
    return this.#live.signal;
  }

  // As properties: a performer may take them out of its context.
  readonly report = (progress: Progress): void => this.#live.report(progress);

  readonly recorded = async (): Promise<void> => {
    const written = this.#options.recorded?.();
    if (written !== undefined) await orStopped(written, this.signal);
  };

  readonly environment = async (): Promise<Readonly<Record<string, string>>> => {
    const { facts, environment } = this.#options;
    const { run, taskId, node, blueprint } = this;
    const env: (readonly [string, string])[] = [];
    for (const [name, template] of Object.entries(node.env ?? {})) env.push([name, await this.values.whole(template)]);
    const { cwd, project, acceptRisk } = facts;
    const inputs = inputTexts(facts);
    return environment({
      run,
      taskId,
      node,
      blueprint,
      cwd,
      project,
      acceptRisk,
      inputs,
      env: Object.fromEntries(env),
    });
  };

  readonly stdin = async (): Promise<Uint8Array | undefined> => {
    const { stdin } = this.node;
    return stdin === undefined ? undefined : Buffer.from(await this.values.whole(stdin));
  };
}

/** The inputs as text; the task is one that every blueprint has. */
export function inputTexts({ task, inputs }: Pick<RunFacts, "task" | "inputs">): Readonly<Record<string, string>> {
  return { task, ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, textOfJson(value)])) };
}
