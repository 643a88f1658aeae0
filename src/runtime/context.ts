import type { Blueprint, Node } from "../model/blueprint.ts";
import type { Attempt, ParentLink } from "../model/events.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import { timeoutOf } from "../model/timeouts.ts";
import type { ActionContext, Capabilities, ChildRuns, Progress, Values } from "../ports/performer.ts";
import type { MakeEnvironment } from "./environment/child.ts";
import type { Callees } from "./api.ts";
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
  readonly contentHash: string;
  readonly bindingHash: string;
  readonly callees: Callees;
  /** Of a run inside another: where it belongs, and in a map what it is about. */
  readonly parent?: ParentLink;
  readonly outer?: Outer;
}

export interface ContextOptions {
  readonly facts: RunFacts;
  readonly node: Node;
  readonly attempt: Attempt;
  readonly since: number;
  readonly bundle?: string;
  readonly values: Values;
  readonly can: Capabilities;
  readonly environment: MakeEnvironment;
  /** Makes the runs inside the attempt; absent where none can be. */
  readonly children?: (signal: () => AbortSignal, report: (progress: Progress) => void) => ChildRuns;
  readonly signal: () => AbortSignal;
  readonly report: (progress: Progress) => void;
}

export function contextOf(options: ContextOptions): ActionContext {
  const { facts, node, attempt, since, values, can, environment, signal, report } = options;
  let children: ChildRuns | undefined;
  return {
    run: facts.run,
    taskId: facts.taskId,
    blueprint: facts.blueprint,
    node,
    attempt,
    since,
    ...(options.bundle === undefined ? {} : { bundle: options.bundle }),
    cwd: facts.cwd,
    values,
    can,
    report,
    timeoutMs: timeoutOf(node),
    outputBytes: facts.blueprint.limits.outputBytes ?? limits.outputDefaultBytes,
    get children() {
      children ??= options.children?.(signal, report);
      if (children === undefined) throw new Error(`nothing runs inside ${node.id} here`);
      return children;
    },
    get signal() {
      return signal();
    },
    async environment() {
      const env: (readonly [string, string])[] = [];
      for (const [name, template] of Object.entries(node.env ?? {})) env.push([name, await values.whole(template)]);
      return environment({
        run: facts.run,
        taskId: facts.taskId,
        node,
        blueprint: facts.blueprint,
        inputs: inputTexts(facts),
        env: Object.fromEntries(env),
      });
    },
    async stdin() {
      return node.stdin === undefined ? undefined : Buffer.from(await values.whole(node.stdin));
    },
  };
}

/** The task is an input that every blueprint has. */
function inputTexts({ task, inputs }: RunFacts): Readonly<Record<string, string>> {
  return { task, ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, textOfJson(value)])) };
}
