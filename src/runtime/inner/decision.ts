import type { InnerDecision, NodeSettled, ParentLink } from "../../model/events.ts";
import type { JournalReader } from "../../ports/journal.ts";
import type { Settlement } from "../api.ts";
import type { Memory } from "../memory/memory.ts";

/**
 * What a person decided last about a run inside, by what the run around it remembers; undefined where nothing was, or it has taken that.
 * Of what was decided before, it took what fitted.
 */
export function decisionFor(
  { run, parent: { node, item } }: { readonly run: string; readonly parent: ParentLink },
  { nodes }: Pick<Memory, "nodes">,
  journal: Pick<JournalReader, "read">,
): Settlement | undefined {
  const prefix = item === undefined ? "" : `[${item}]/`;
  const latest = nodes.get(node)?.decisions?.findLast((one) => one.node.startsWith(prefix));
  if (latest === undefined) return undefined;
  for (const { body } of journal.read(run))
    if (body.type === "node.settled" && isSameDecision(body, latest)) return undefined;
  return { ...latest, node: latest.node.slice(prefix.length) };
}

/** An earlier version gave decisions no id: then one that says the same is taken for it, so that none is taken twice. */
function isSameDecision(one: NodeSettled, { id, by, reason }: InnerDecision): boolean {
  return one.id === id && (id !== undefined || (one.by === by && one.reason === reason));
}
