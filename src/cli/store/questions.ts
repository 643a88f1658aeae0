import type { Blueprint } from "../../model/blueprint.ts";
import type { Json } from "../../model/json.ts";
import { wordsOf } from "../../language/fields/schemas.ts";
import { limits } from "../../model/limits.ts";
import { listOf } from "../../nodes/map.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { Nodes } from "../../runtime/memory/nodes.ts";
import { type Outer, RunValues } from "../../runtime/values.ts";
import { askedOf } from "../../views/open-gates.ts";
import type { World } from "../world.ts";
import { blueprintOf, type WaitingGate } from "./inner-runs.ts";

interface ReadRun {
  readonly blueprint: Blueprint;
  readonly values: RunValues;
}

/**
 * What questions show, read anew from the journal for a person who is not where
 * they are asked. Sensitive inputs are masked there.
 */
export class Questions {
  readonly #world: Pick<World, "env">;
  readonly #journal: JournalReader;
  readonly #blobs: BlobStore;
  readonly #read = new Map<string, Promise<ReadRun | null>>();

  constructor(world: Pick<World, "env">, journal: JournalReader, blobs: BlobStore) {
    this.#world = world;
    this.#journal = journal;
    this.#blobs = blobs;
  }

  /** Each bounded by `limits.gateEvidenceBytes`; none where an agent asks for leave, or the definition is gone. */
  async shown({ row, gate }: WaitingGate): Promise<readonly string[]> {
    const read = await this.#of(row);
    const { show = [] } = (read === null ? undefined : askedOf(read.blueprint, gate)) ?? {};
    return read === null ? [] : Promise.all(show.map((one) => read.values.text(one, limits.gateEvidenceBytes)));
  }

  /**
   * What may be answered: the options of a choice, the fields of a form with their
   * types; none where any text may be, or a yes or no.
   */
  async choices({ row, gate }: WaitingGate): Promise<readonly string[]> {
    const read = await this.#of(row);
    const { options = [], fields = {} } = (read === null ? undefined : askedOf(read.blueprint, gate)) ?? {};
    return [
      ...options.map(({ id, title }) => (title === undefined ? id : `${id}: ${title}`)),
      ...Object.entries(fields).map(([name, { type }]) => `${name}: ${wordsOf(type).replaceAll("`", "")}`),
    ];
  }

  #of(row: RunRow): Promise<ReadRun | null> {
    const known = this.#read.get(row.run) ?? this.#readRun(row);
    this.#read.set(row.run, known);
    return known;
  }

  async #readRun(row: RunRow): Promise<ReadRun | null> {
    const blueprint = await blueprintOf(this.#world, this.#journal, row);
    if (blueprint === null) return null;
    const nodes = new Nodes();
    let task = "";
    let inputs: Readonly<Record<string, Json>> = {};
    for (const { body, at } of this.#journal.read(row.run)) {
      if (body.type === "run.started") ({ task, inputs } = body);
      nodes.take(body, at);
    }
    const outer = await this.#outerOf(row);
    const known = { task, inputs, results: nodes.results, ...(outer === undefined ? {} : { outer }) };
    return { blueprint, values: new RunValues(known, this.#blobs) };
  }

  /** The item that a run is about, and what is around it. */
  async #outerOf({ parent }: RunRow): Promise<Outer | undefined> {
    const around = parent?.item === undefined ? null : this.#journal.find(parent.run);
    const read = around === null ? null : await this.#of(around);
    const map = read?.blueprint.nodes.get(parent?.node ?? "");
    if (read === null || map?.type !== "map" || parent?.item === undefined) return undefined;
    const { item: index } = parent;
    const items = listOf(await read.values.value(map.over)) ?? [];
    return { item: items[index] ?? null, index, values: read.values, own: map.do.nodes };
  }
}
