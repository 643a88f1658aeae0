import type { Recorded } from "../engine/recorded.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { EventBody } from "../model/events.ts";

/** Nodes that a journal knows by a former name (`was`). */
export class Renamed {
  readonly #names: ReadonlyMap<string, string>;

  constructor({ nodes }: Blueprint, journal: readonly Recorded[]) {
    const known = new Set(journal.flatMap(({ body }) => (body.type === "node.started" ? [body.node] : [])));
    this.#names = new Map(
      [...nodes.values()].flatMap(({ id, was }) =>
        was !== undefined && !nodes.has(was) && !known.has(id) ? [[was, id] as const] : [],
      ),
    );
  }

  /** Its present name. */
  name(id: string): string {
    return this.#names.get(id) ?? id;
  }

  event(body: EventBody): EventBody {
    if (this.#names.size === 0) return body;
    if (body.type === "passes.synced") {
      const passes = Object.entries(body.passes).map(([id, count]) => [this.name(id), count] as const);
      return { ...body, passes: Object.fromEntries(passes) };
    }
    return "node" in body && body.node !== undefined ? { ...body, node: this.name(body.node) } : body;
  }
}
