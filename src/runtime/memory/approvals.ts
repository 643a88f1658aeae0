import type { Blueprint } from "../../model/blueprint.ts";
import type { EventBody } from "../../model/events.ts";
import type { Approval } from "../../ports/performer.ts";

/** Which gates were answered with yes, and which nodes are about to start on that. */
export class Approvals {
  /** The digest that the yes to a gate names, by gate. */
  readonly #answered = new Map<string, string>();
  readonly #approved = new Map<string, Omit<Approval, "gate">>();
  /** Where the latest pass of a node came from, until it has begun. */
  readonly #arrivals = new Map<string, readonly string[]>();
  readonly #asking = new Set<string>();

  note(body: EventBody): void {
    switch (body.type) {
      // One that waits for a place takes its arrivals with it: its claim then names none.
      case "node.queued":
        this.#arrivals.set(body.node, body.from);
        break;
      case "node.started":
        if (body.attempt === 1 && body.from.length > 0) this.#arrivals.set(body.node, body.from);
        break;
      case "gate.opened":
        this.#asking.add(body.node);
        break;
      case "gate.answered":
        this.#asking.delete(body.node);
        if (body.answer === true) this.#answered.set(body.node, body.digest);
        break;
      case "node.ended": {
        const digest = this.#answered.get(body.node);
        if (digest !== undefined && body.result.outcome === "success")
          this.#approved.set(body.node, { pass: body.pass, digest });
        else this.#approved.delete(body.node);
        this.#answered.delete(body.node);
        this.#asking.delete(body.node);
        break;
      }
      // It has begun: what it does from here on is its own.
      case "node.process":
      case "node.retrying":
      case "agent.progressed":
        this.#arrivals.delete(body.node);
        break;
      default:
        break;
    }
  }

  /** Whether a node had not begun when it was last heard of: it still waited for a second yes. */
  isWaiting(blueprint: Blueprint, node: string): boolean {
    return this.#asking.has(node) && this.before(blueprint, node) !== undefined;
  }

  /** What the next attempt of a node starts on; undefined where nothing was approved right before it. */
  before({ nodes }: Blueprint, node: string): readonly Approval[] | undefined {
    if (this.#approved.size === 0) return undefined;
    const approvals = (this.#arrivals.get(node) ?? []).flatMap((from): readonly Approval[] => {
      const [gate, approved] = [nodes.get(from), this.#approved.get(from)];
      return gate?.type === "human" && approved !== undefined ? [{ gate, ...approved }] : [];
    });
    return approvals.length === 0 ? undefined : approvals;
  }
}
