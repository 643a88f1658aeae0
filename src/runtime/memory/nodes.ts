import type { Blueprint } from "../../model/blueprint.ts";
import type { EventBody } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Approval } from "../../ports/performer.ts";
import type { PassSoFar } from "../context.ts";
import type { Known } from "../values.ts";
import { type NodeEvent, NodeMemory } from "./node-memory.ts";

/** What is kept of each node of a run, folded from its events. */
export class Nodes {
  readonly #known = new Map<string, NodeMemory>();
  /** What was last heard of: the next event is often about the same. */
  #latest: NodeMemory | undefined;
  /** While what is heard of was done in the run that this one is a fork of. */
  #takesOver = false;
  /** The latest recorded result of each. */
  readonly results: Known["results"] = { get: (node) => this.#known.get(node)?.result };

  take(body: EventBody, at: number): void {
    if (!isOfNode(body)) {
      if (body.type === "run.started") this.#takesOver = body.fork !== undefined;
      else if (body.type === "run.resumed" && body.fork === true) this.#takesOver = false;
      return;
    }
    if (this.#latest?.id !== body.node) this.#latest = this.#keep(body.node);
    this.#latest.take(body, at, this.#takesOver);
  }

  #keep(id: string): NodeMemory {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const node = new NodeMemory(id);
    this.#known.set(id, node);
    return node;
  }

  /** Undefined where nothing was heard of it. */
  get(node: string): NodeMemory | undefined {
    return this.#known.get(node);
  }

  /** Of attempts that have no outcome yet. */
  processes(): readonly ProcessIdentity[] {
    const all: ProcessIdentity[] = [];
    for (const { processes } of this.#known.values()) if (processes !== undefined) all.push(...processes);
    return all;
  }

  /**
   * What the next attempt of a node starts on; undefined where nothing was approved before it but for waits between.
   */
  approvalsOf({ nodes }: Blueprint, node: string): readonly Approval[] | undefined {
    let approvals: Approval[] | undefined;
    const known = this.#known.get(node);
    // What is added while it is looked through comes later.
    const before = new Set(known?.arrivals);
    for (const id of before) {
      const { approved, arrivals = [] } = this.#known.get(id) ?? {};
      const from = nodes.get(id);
      if (from?.type === "wait") for (const earlier of arrivals) before.add(earlier);
      if (approved === undefined || from?.type !== "human") continue;
      const begun = known?.begun === true ? { begun: true as const } : {};
      (approvals ??= []).push({ gate: from, pass: approved.pass, ...(known?.renewed?.get(id) ?? approved), ...begun });
    }
    return approvals;
  }

  /** Whether a node had not begun when it was last heard of: it still waited for a second yes. */
  isHeld(node: string): boolean {
    return this.#known.get(node)?.isHeld === true;
  }

  passOf(node: string, now: number): PassSoFar {
    const { since = now, bundle, trail } = this.#known.get(node) ?? {};
    return {
      // Where the clock was set back while nobody executed the run, it began just now: no wait is longer than it says.
      since: Math.min(since, now),
      ...(bundle === undefined ? {} : { bundle }),
      ...(trail === undefined ? {} : { earlier: trail }),
    };
  }
}

function isOfNode(body: EventBody): body is NodeEvent {
  return "node" in body && body.type !== "run.halting";
}
