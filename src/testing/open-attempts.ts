import type { Node } from "../model/node.ts";
import type { EventBody, ParentLink } from "../model/events.ts";
import { withoutItems } from "./catalog.ts";

interface OpenRun {
  readonly parent: ParentLink | undefined;
  readonly nodes: Set<string>;
}

/** Attempts that are claimed and not over, in a run and those inside it, as its commits tell. */
export class OpenAttempts {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #runs = new Map<string, OpenRun>();

  /** Every node by its path. */
  constructor(nodes: ReadonlyMap<string, Node>) {
    this.#nodes = nodes;
  }

  note(run: string, parent: () => ParentLink | undefined, events: readonly EventBody[]): void {
    const open = this.#runs.get(run) ?? { parent: parent(), nodes: new Set() };
    this.#runs.set(run, open);
    for (const body of events) {
      if (body.type === "node.started") open.nodes.add(body.node);
      else if (over.has(body.type) && "node" in body && body.node !== undefined) open.nodes.delete(body.node);
      else if (body.type === "run.finished") this.#runs.delete(run);
    }
  }

  /**
   * Whether any of them is more than a wait for a person or a time. What holds
   * other nodes is, until one of these is open itself.
   */
  isAnyAtWork(): boolean {
    return [...this.#runs].some(([run, { parent, nodes }]) =>
      [...nodes].some((node) => {
        const type = this.#nodes.get(withoutItems(`${parent?.path ?? ""}${node}`))?.type;
        if (type === "wait" || type === "human") return false;
        return (type !== "call" && type !== "map") || !this.#isAnyOpenIn(run, node);
      }),
    );
  }

  #isAnyOpenIn(run: string, node: string): boolean {
    return [...this.#runs.values()].some(
      ({ parent, nodes }) => parent?.run === run && parent.node === node && nodes.size > 0,
    );
  }
}

const over: ReadonlySet<EventBody["type"]> = new Set<EventBody["type"]>([
  "node.ended",
  "node.retrying",
  "node.unconfirmed",
]);
