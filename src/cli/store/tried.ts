import { bodyBlueprint } from "../../graph/body.ts";
import type { Blueprint } from "../../model/blueprint.ts";
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
      const carriedOut = this.#inside(blueprint, node);
      const tried = carriedOut === null ? null : await this.of(child, carriedOut, way);
      if (tried === null) continue;
      const key = keyOf({ node, pass });
      passes.set(key, [...(passes.get(key) ?? []), { item, seen: tried.seen }]);
      if (!isSameWay(tried.seen)) inside.push({ run: child.run, path: way, ...tried.seen });
      inside.push(...tried.inside);
    }
    const was = await this.#last(row);
    const instead = new Map([...passes].map(([key, all]) => [key, resultInstead(all)]));
    const seen = whatIf({ journal, was, blueprint, instead: (attempt) => instead.get(keyOf(attempt)) });
    return seen === null ? null : { seen, inside };
  }

  /** What a run in this node carries out; null where nothing runs in it. */
  #inside(around: Blueprint, id: string): Blueprint | null {
    const node = around.nodes.get(id);
    if (node?.type === "map") return bodyBlueprint(around, node.do);
    return node?.type === "call" ? (this.#callees.get(node.pin ?? "")?.blueprint ?? null) : null;
  }

  /** What the run was carried out with last. */
  async #last(row: RunRow): Promise<Blueprint | null> {
    const bound = bindingsOf([...this.#journal.read(row.run)].map(({ body }) => body)).at(-1)?.bound;
    const around = bound === undefined ? null : await this.#definitionOf(bound.contentHash, row);
    return around === null ? null : bodyIn(around, mapsAround(this.#journal, row));
  }
}

function keyOf({ node, pass }: { readonly node: string; readonly pass: number }): string {
  return `${pass} ${node}`;
}
