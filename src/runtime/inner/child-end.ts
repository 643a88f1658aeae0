import type { Blueprint } from "../../model/blueprint.ts";
import type { RunFinished, RunHalting } from "../../model/events.ts";
import type { Json } from "../../model/json.ts";
import type { InnerHalt, NodeResult } from "../../model/outcome.ts";
import type { Template } from "../../model/template.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { JournalReader } from "../../ports/journal.ts";
import type { ChildEnd } from "../../ports/performer.ts";
import { LastWord } from "../last-word.ts";
import { declaredOutputs } from "../outputs.ts";
import { Nodes } from "../memory/nodes.ts";
import { type Outer, RunValues } from "../values.ts";

interface Ended {
  readonly journal: Pick<JournalReader, "read">;
  readonly blobs: BlobStore;
  readonly run: string;
  readonly blueprint: Blueprint;
  readonly outer?: Outer;
}

/** How a run inside another ended, by its journal. */
export async function endOf({ journal, blobs, run, blueprint, outer }: Ended): Promise<ChildEnd> {
  const nodes = new Nodes();
  let task = "";
  let inputs: Readonly<Record<string, Json>> = {};
  const word = new LastWord(blueprint);
  let failed: NodeResult | null = null;
  let halting: RunHalting | null = null;
  let finished: RunFinished | null = null;
  for (const { body, at } of journal.read(run)) {
    if (body.type === "run.started") ({ task, inputs } = body);
    if (body.type === "run.resumed") halting = finished = null;
    if (body.type === "run.halting") halting = body;
    if (body.type === "run.finished") finished = body;
    nodes.take(body, at);
    word.take(body);
    if (body.type === "node.ended" && body.result.outcome !== "success") failed = body.result;
  }
  const values = new RunValues(
    { task, inputs, results: nodes.results, ...(outer === undefined ? {} : { outer }) },
    blobs,
  );
  const status = finished?.status ?? "interrupted";
  const last = word.of(status === "succeeded")?.node ?? null;
  const latest = last === null ? null : (nodes.results.get(last) ?? null);
  return {
    status,
    reason: finished?.reason ?? null,
    halt: halting === null ? null : haltOf(halting, outer),
    outputs: (status === "succeeded" ? await declaredOutputs(blueprint, values) : undefined) ?? null,
    said: last === null ? null : await values.value(referenceTo(last)),
    result: status === "succeeded" ? latest : (failed ?? latest),
  };
}

function haltOf(
  { cause, node = "", reason, iteration, unsaid }: RunHalting,
  outer: Outer | undefined,
): InnerHalt | null {
  if (cause === "stopped" || cause === "rejected") return null;
  const path = outer === undefined ? node : `[${outer.index}]${node === "" ? "" : `/${node}`}`;
  return { cause, node: path, reason, ...(iteration && { iteration }), ...(unsaid && { unsaid }) };
}

function referenceTo(name: string): Template {
  return { source: "", parts: [{ ref: { source: "node", name, path: [], start: 0, end: 0 } }] };
}
