import { take } from "../../engine/reduce.ts";
import { initial, type RunState, stage } from "../../engine/state.ts";
import { blueprintInside } from "../../graph/body.ts";
import { at } from "../../graph/ints.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import type { Node } from "../../model/node.ts";
import { isOver } from "../../model/outcome.ts";
import { shellWord } from "../../model/shell.ts";
import type { JournalReader } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal } from "../api.ts";
import type { RunFacts } from "../context.ts";
import { segmentOf } from "../inner/place.ts";
import { planOf } from "./parts.ts";
import { repeatedBy } from "./repeatable.ts";

/** A run as a changed blueprint would go on with it. */
interface Changed {
  readonly run: string;
  readonly blueprint: Blueprint;
  readonly callees: RunFacts["callees"];
  readonly journal: Pick<JournalReader, "read" | "runs">;
}

/**
 * Why a changed blueprint cannot go on with a run: something was begun, in it or inside it, that by this
 * blueprint would not have been by then. The run would forget it, do it once more, and ask nobody what
 * became of it. Null where what was done has its place in it, or may be done again, or is over and in it no more.
 */
export function astray(of: Changed): Refusal | null {
  const claim = firstAstray(of);
  if (claim === null) return null;
  const { path, isKept } = claim;
  const change = "the changed blueprint cannot go on with";
  if (isKept)
    return refuse(
      "changed",
      `${change} run ${of.run}: ${path} has begun there, would not have by now, and would be done once more`,
      "put the old version back, or begin anew with the changed one: trammel run",
    );
  return refuse(
    "changed",
    `${change} run ${of.run}: nobody knows what became of ${path}, and it has no such node`,
    `put the old version back and say it: trammel settle ${of.run} ${shellWord(path)} --as done|failed`,
  );
}

interface Claim {
  readonly path: string;
  /** Whether the blueprint still has the node. */
  readonly isKept: boolean;
}

function firstAstray({ run, blueprint, callees, journal }: Changed): Claim | null {
  const state = initial(planOf(blueprint));
  const here = astrayIn(blueprint, state, journal.read(run));
  if (here !== null) return here;
  for (const { run: inner, parent, status } of journal.runs(Number.MAX_SAFE_INTEGER, run)) {
    if (parent === undefined || isOver(status) || !isOpen(state, parent)) continue;
    const inside = blueprintInside(blueprint, parent.node, callees);
    const claim = inside === null ? null : firstAstray({ run: inner, blueprint: inside, callees, journal });
    if (claim !== null) return { ...claim, path: `${segmentOf(parent)}/${claim.path}` };
  }
  return null;
}

/** Whether the attempt around a run inside is what would go on. */
function isOpen(state: RunState, { node: id, pass }: ParentLink): boolean {
  const node = nodeIndex(state.plan, id);
  return node >= 0 && at(state.pass, node) === pass && at(state.stage, node) !== stage.idle;
}

/** Folds the events into a state that is new. */
function astrayIn(blueprint: Blueprint, state: RunState, events: Iterable<JournalEvent>): Claim | null {
  /** By node that is gone: whether what it was doing has no end yet. */
  const gone = new Map<string, boolean>();
  for (const { body, at: time } of events) {
    if (take(state, body, time) || !("attempt" in body)) continue;
    const node = nodeNow(blueprint, body.node);
    if (node === undefined) gone.set(body.node, isOpenAfter(body, gone.get(body.node) === true));
    else if (body.type === "node.started" && repeatedBy(node) === null) return { path: body.node, isKept: true };
  }
  const [open] = [...gone].find(([, hasNoEnd]) => hasNoEnd) ?? [];
  return open === undefined ? null : { path: open, isKept: false };
}

/** Under its name, or under the one that it has now. */
function nodeNow({ nodes }: Blueprint, id: string): Node | undefined {
  return nodes.get(id) ?? [...nodes.values()].find(({ was }) => was === id);
}

/** To ask a person is to do nothing: only a gate asks about what is shown, at its own place. */
function isOpenAfter(body: JournalEvent["body"], before: boolean): boolean {
  switch (body.type) {
    case "node.started":
      return true;
    case "node.ended":
    case "node.retrying":
      return false;
    case "node.settled":
      return body.as === "again";
    case "gate.opened":
      return before && (body.over === undefined || body.of !== undefined);
    default:
      return before;
  }
}
