import type { MapNode } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import { readJson } from "../model/json-text.ts";
import { limits } from "../model/limits.ts";
import type { InnerHalt, NodeResult } from "../model/outcome.ts";
import type { ActionContext, ChildEnd, ChildRefused, Performer } from "../ports/performer.ts";
import { evidenceOf, heldBy, outcomeOf, saidJson, strongest } from "./inner-result.ts";

/** Performs `map` nodes: each item is a run of its own inside the attempt. */
export const map: Performer<MapNode> = { type: "map", class: "wrapper", untimed: true, missing: () => null, perform };

type Ended = ChildEnd | ChildRefused;

async function perform(context: ActionContext<MapNode>): Promise<NodeResult> {
  const { node, values, children } = context;
  const items = listOf(await values.value(node.over));
  if (items === null) return invalid(`${node.over.source} is no list`);
  const most = node.max ?? limits.mapDefaultItems;
  if (items.length > most)
    return {
      outcome: "failure",
      reason: { code: "limit", text: `max is ${most}, and ${node.over.source} has ${items.length} items` },
    };
  const ends = await runAll(items, context);
  const usage = children.usage();
  return { ...(await resultOf(ends, context)), ...(usage === undefined ? {} : { usage }) };
}

/** A list, or text that is one. */
export function listOf(value: Json): readonly Json[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return null;
  const read = readJson(value);
  return "value" in read && Array.isArray(read.value) ? read.value : null;
}

/** `parallel` at a time, in order. Once one waits for a decision, or the run is stopped, no other begins. */
async function runAll(items: readonly Json[], context: ActionContext<MapNode>): Promise<readonly (Ended | null)[]> {
  const { node, children, signal } = context;
  const ends: (Ended | null)[] = items.map(() => null);
  let next = 0;
  let halted = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !halted && !signal.aborted) {
      const index = next;
      next += 1;
      const end = await children.item(node.do, index, items[index] ?? null);
      ends[index] = end;
      halted ||= !("refused" in end) && end.halt !== null;
    }
  };
  await Promise.all(Array.from({ length: Math.min(node.parallel ?? 1, items.length) }, work));
  return ends;
}

async function resultOf(ends: readonly (Ended | null)[], { can, signal }: ActionContext<MapNode>): Promise<NodeResult> {
  const over = ends.flatMap((end) => (end === null || "refused" in end ? [] : [end]));
  const halts = over.flatMap(({ halt }) => (halt === null ? [] : [halt]));
  const halt: InnerHalt | undefined = strongest(halts);
  const halting = over.find((end) => end.halt === halt);
  if (halt !== undefined && halting !== undefined) return heldBy(halt, halting);
  if (signal.aborted || over.some((end) => outcomeOf(end) === "cancelled"))
    return {
      outcome: "cancelled",
      reason: { code: "cancelled", text: `stopped after ${over.length} of ${ends.length} items` },
    };
  const value = ends.map((end) =>
    end === null || "refused" in end || end.status !== "succeeded" ? null : saidBy(end),
  );
  const failed = ends.flatMap((end, index) =>
    end !== null && value[index] === null && !succeeded(end) ? [{ end, index }] : [],
  );
  const [first] = failed;
  if (first === undefined) return { outcome: "success", output: await saidJson(value, can.blobs), value };
  const why = "refused" in first.end ? first.end.refused : (first.end.reason ?? first.end.status);
  const named = failed
    .slice(0, limits.failedItemsNamed)
    .map(({ index }) => index)
    .join(", ");
  const text = `${failed.length} of ${ends.length} items failed (${named}${failed.length > limits.failedItemsNamed ? ", …" : ""}): ${why}`;
  const evidence = "refused" in first.end ? {} : evidenceOf(first.end);
  return { outcome: "failure", reason: { code: "child", text }, ...evidence, value };
}

function succeeded(end: Ended): boolean {
  return !("refused" in end) && end.status === "succeeded";
}

/** Text without the line break that commands end with, as a shell would take it. */
function saidBy({ said }: ChildEnd): Json {
  return typeof said === "string" ? said.replace(/\r?\n$/, "") : said;
}

function invalid(text: string): NodeResult {
  return { outcome: "failure", reason: { code: "output_invalid", text } };
}
