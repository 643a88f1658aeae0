import type { InnerDecision, NodeSettled, ParentLink } from "../../model/events.ts";
import type { JournalReader } from "../../ports/journal.ts";
import type { Settlement } from "../api.ts";
import type { Memory } from "../memory/memory.ts";

/**
 * What a person decided last about a run inside, by what the run around it remembers; undefined where nothing was, or
 * it has taken that. Of what was decided before, it took what fitted.
 */
export function decisionFor(
  { run, parent: { node, item } }: { readonly run: string; readonly parent: ParentLink },
  { nodes }: Pick<Memory, "nodes">,
  journal: Pick<JournalReader, "read">,
): Settlement | undefined {
  const prefix = item === undefined ? "" : `[${item}]/`;
  const latest = nodes.get(node)?.decisions?.findLast((one) => one.node.startsWith(prefix));
  if (latest === undefined) return undefined;
  const decision = { ...latest, node: latest.node.slice(prefix.length) };
  for (const { body } of journal.read(run))
    if (body.type === "node.settled" && isSameDecision(body, decision)) return undefined;
  return decision;
}

/**
 * An earlier version gave decisions no id: then one that says the same of the same node is taken for it, whatever id it
 * was given when it was handed on, so that none is taken twice.
 */
function isSameDecision(one: NodeSettled, { id, node, by, reason }: InnerDecision): boolean {
  if (id !== undefined) return one.id === id;
  const [head] = node.split(/[/[]/, 1);
  return one.node === head && one.by === by && one.reason === reason;
}
