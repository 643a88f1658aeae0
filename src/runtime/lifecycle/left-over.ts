import type { JournalEvent } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Journal, Wanted } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal } from "../api.ts";
import { endOrphans, endTree } from "../processes/custody.ts";

/**
 * A tree or a key is free when the engine that had it is gone, but not while what that engine started is still at work
 * there. Ends that, and refuses where something of it cannot be ended.
 */
export async function clearPlace(
  journal: Pick<Journal, "gone" | "read">,
  wanted: Pick<Wanted, "run" | "tree" | "key">,
): Promise<Refusal | null> {
  const gone = journal.gone(wanted);
  const left = [...(await endOrphans(...gone.map(({ owner }) => owner)))];
  for (const { run, waits } of gone) {
    if (waits) continue;
    for (const process of openProcesses(journal.read(run))) left.push(...(await endTree(process)));
  }
  if (left.length === 0) return null;
  const pids = [...new Set(left.map(({ pid }) => pid))].join(", ");
  const place = wanted.tree ?? `the key ${JSON.stringify(wanted.key)}`;
  return refuse(
    "conflict",
    `an engine that is gone left process ${pids} at work in ${place}, which could not be ended`,
    "end it, and start again",
  );
}

/** Processes of attempts without an outcome. */
function openProcesses(events: Iterable<JournalEvent>): readonly ProcessIdentity[] {
  const open = new Map<string, ProcessIdentity[]>();
  for (const { body } of events) {
    if (body.type === "node.started") open.set(body.node, []);
    else if (body.type === "node.process") open.get(body.node)?.push(body.process);
    else if (body.type === "node.ended" || body.type === "node.unconfirmed") open.delete(body.node);
  }
  return [...open.values()].flat();
}
