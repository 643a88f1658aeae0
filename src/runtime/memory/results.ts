import type { EventBody } from "../../model/events.ts";
import type { NodeResult } from "../../model/outcome.ts";

/** The latest result of each node, folded from events: what the values of a run are read from. */
export class Results {
  readonly #known = new Map<string, NodeResult>();
  /** Nodes whose latest attempt ended in a way that nobody recorded. */
  readonly #unrecorded = new Set<string>();

  get byNode(): ReadonlyMap<string, NodeResult> {
    return this.#known;
  }

  take(body: EventBody): void {
    switch (body.type) {
      case "node.started":
        this.#unrecorded.delete(body.node);
        break;
      case "node.ended":
        this.#known.set(body.node, body.result);
        break;
      case "node.unconfirmed":
        this.#unrecorded.add(body.node);
        break;
      case "node.settled":
        // What an earlier pass said is not what this one would have.
        if (body.as !== "again" && this.#unrecorded.delete(body.node)) this.#known.delete(body.node);
        break;
      default:
        break;
    }
  }
}
