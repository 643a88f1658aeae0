import { passKey } from "../../engine/outcomes.ts";
import { blueprintInside } from "../../graph/body.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import type { Callees } from "../../runtime/api.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { resultInstead, type SeenInside } from "../../views/instead.ts";
import { Renamed } from "../../views/renamed.ts";
import { isSameWay, type Seen, whatIf } from "../../views/what-if.ts";
import { listOf } from "../../nodes/map.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import { Nodes } from "../../runtime/memory/nodes.ts";
import { type Known, type Outer, RunValues } from "../../runtime/values.ts";
import { chooserOf } from "./choosing.ts";
import type { Node } from "../../model/node.ts";
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
  readonly #blobs: BlobStore;
  readonly #definitionOf: DefinitionOf;
  readonly #callees: Callees;

  constructor(journal: JournalReader, blobs: BlobStore, definitionOf: DefinitionOf, callees: Callees) {
    this.#journal = journal;
    this.#blobs = blobs;
    this.#definitionOf = definitionOf;
    this.#callees = callees;
  }

  /** Null where the journal of the run does not begin with its start. */
  async of(row: RunRow, blueprint: Blueprint, path = "", outer?: Outer): Promise<Tried | null> {
    const journal = [...this.#journal.read(row.run)];
    const started = journal[0]?.body;
    if (started?.type !== "run.started") return null;
    const { task, inputs } = started;
    const facts = { task, inputs, ...(outer === undefined ? {} : { outer }) };
    const passes = new Map<string, (SeenInside & { readonly told: readonly TriedInside[] })[]>();
    const renamed = new Renamed(blueprint, journal);
    for (const child of insideOf(this.#journal, row)) {
      if (child.parent === undefined) continue;
      const { pass, item } = child.parent;
      const node = renamed.name(child.parent.node);
      const way = `${path}${path === "" ? "" : "/"}${segmentOf({ ...child, parent: { ...child.parent, node } })}`;
      const carriedOut = blueprintInside(blueprint, node, this.#callees);
      const about = await this.#itemOf(child.parent, blueprint.nodes.get(node), journal, facts);
      const tried = carriedOut === null ? null : await this.of(child, carriedOut, way, about);
      if (tried === null) continue;
      const own = isSameWay(tried.seen) ? [] : [{ run: child.run, path: way, ...tried.seen }];
      const key = passKey({ node, pass });
      const ofPass = passes.get(key) ?? [];
      ofPass.push({ item, seen: tried.seen, told: [...own, ...tried.inside] });
      passes.set(key, ofPass);
    }
    const was = await this.#last(row, journal);
    const instead = new Map([...passes].map(([key, all]) => [key, resultInstead(all)]));
    const seen = await whatIf({
      journal,
      was,
      blueprint,
      instead: (attempt) => instead.get(passKey(attempt)),
      choose: chooserOf({ ...facts, blueprint }, this.#blobs),
      goesOtherwise: (attempt) => passes.get(passKey(attempt))?.some(({ told }) => told.length > 0) === true,
    });
    if (seen === null) return null;
    const begun = new Set(seen.events.flatMap((body) => (body.type === "node.started" ? [passKey(body)] : [])));
    const inside = [...passes].flatMap(([key, all]) => (begun.has(key) ? all.flatMap(({ told }) => told) : []));
    return { seen, inside };
  }

  /** The item of a map that a run inside was about, from what was recorded when the pass of the map began. */
  async #itemOf(
    { node, pass, item: index }: ParentLink,
    map: Node | undefined,
    journal: readonly JournalEvent[],
    facts: Omit<Known, "results">,
  ): Promise<Outer | undefined> {
    if (index === undefined || map?.type !== "map") return undefined;
    const nodes = new Nodes();
    for (const { body, at } of journal) {
      if (body.type === "node.started" && body.node === node && body.pass === pass) break;
      nodes.take(body, at);
    }
    const values = new RunValues({ ...facts, results: nodes.results }, this.#blobs);
    const items = listOf(await values.value(map.over)) ?? [];
    return { item: items[index] ?? null, index, values, own: map.do.nodes };
  }

  /** What the run was carried out with last. */
  async #last(row: RunRow, journal: readonly JournalEvent[]): Promise<Blueprint | null> {
    const bound = bindingsOf(journal.map(({ body }) => body)).at(-1)?.bound;
    const around = bound === undefined ? null : await this.#definitionOf(bound.contentHash, row);
    return around === null ? null : bodyIn(around, mapsAround(this.#journal, row));
  }
}
