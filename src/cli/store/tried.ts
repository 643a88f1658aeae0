import { passKey } from "../../engine/outcomes.ts";
import { blueprintInside } from "../../graph/body.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalEvent } from "../../model/events.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import type { Callees } from "../../runtime/api.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { resultInstead, type SeenInside } from "../../views/instead.ts";
import { Renamed } from "../../views/renamed.ts";
import { isSameWay, type Seen, whatIf } from "../../views/what-if.ts";
import { bodyIn, insideOf, mapsAround, segmentOf } from "./inner-runs.ts";
import type { DefinitionOf } from "./replayed.ts";

export interface Tried {
  readonly seen: Seen;
  /** Those inside at any depth that would have gone another way. */
  readonly inside: readonly TriedInside[];
}

interface TriedInside extends Seen {
  readonly run: string;
  /** From the run that was asked for: `call`, `call/map[2]`. */
  readonly path: string;
}

/** Plays runs, and those inside them, to another blueprint and what it calls. */
export class Trial {
  readonly #journal: JournalReader;
  readonly #definitionOf: DefinitionOf;
  readonly #callees: Callees;

  constructor(journal: JournalReader, definitionOf: DefinitionOf, callees: Callees) {
    this.#journal = journal;
    this.#definitionOf = definitionOf;
    this.#callees = callees;
  }

  /** Null where the journal of the run does not begin with its start. */
  async of(row: RunRow, blueprint: Blueprint, path = ""): Promise<Tried | null> {
    const journal = [...this.#journal.read(row.run)];
    const passes = new Map<string, SeenInside[]>();
    const inside: TriedInside[] = [];
    const renamed = new Renamed(blueprint, journal);
    for (const child of insideOf(this.#journal, row)) {
      if (child.parent === undefined) continue;
      const { pass, item } = child.parent;
      const node = renamed.name(child.parent.node);
      const way = `${path}${path === "" ? "" : "/"}${segmentOf({ ...child, parent: { ...child.parent, node } })}`;
      const carriedOut = blueprintInside(blueprint, node, this.#callees);
      const tried = carriedOut === null ? null : await this.of(child, carriedOut, way);
      if (tried === null) continue;
      const key = passKey({ node, pass });
      const ofPass = passes.get(key);
      if (ofPass === undefined) passes.set(key, [{ item, seen: tried.seen }]);
      else ofPass.push({ item, seen: tried.seen });
      if (!isSameWay(tried.seen)) inside.push({ run: child.run, path: way, ...tried.seen });
      inside.push(...tried.inside);
    }
    const was = await this.#last(row, journal);
    const instead = new Map([...passes].map(([key, all]) => [key, resultInstead(all)]));
    const seen = whatIf({ journal, was, blueprint, instead: (attempt) => instead.get(passKey(attempt)) });
    return seen === null ? null : { seen, inside };
  }

  /** What the run was carried out with last. */
  async #last(row: RunRow, journal: readonly JournalEvent[]): Promise<Blueprint | null> {
    const bound = bindingsOf(journal.map(({ body }) => body)).at(-1)?.bound;
    const around = bound === undefined ? null : await this.#definitionOf(bound.contentHash, row);
    return around === null ? null : bodyIn(around, mapsAround(this.#journal, row));
  }
}
