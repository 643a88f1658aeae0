import type { NodeType } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import { messageOf } from "../model/thrown.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import { shownName } from "../runtime/tree/names.ts";
import { refs } from "../runtime/workspace/refs.ts";
import type { Snapshots } from "../runtime/workspace/snapshots.ts";
import { Occupancy, type Stay } from "./occupancy.ts";

/** What does no work in the tree itself. */
const workless: ReadonlySet<NodeType> = new Set<NodeType>(["human", "wait", "call", "map"]);

/**
 * Remembers the tree before each pass of a node, and lets a retry begin from there: what the attempt before changed is
 * taken back, nothing else is, and how it left the tree is kept under a ref. Not done where another node was at work in
 * the same tree, since the change could be its own.
 */
export function createCheckpoints(
  snapshotsOf: (run: string) => Promise<Snapshots | null>,
): (performer: Performer) => Performer {
  const trees = new Occupancy();
  return (performer) => {
    if (workless.has(performer.type)) return performer;
    return {
      ...performer,
      async perform(context) {
        const stay = trees.enter(context.cwd);
        try {
          if (context.blueprint.workspace.checkpoint !== true) return await performer.perform(context);
          return await performFrom(snapshotsOf, performer, context, stay);
        } finally {
          stay.leave();
        }
      },
    };
  };
}

async function performFrom(
  snapshotsOf: (run: string) => Promise<Snapshots | null>,
  performer: Performer,
  context: ActionContext,
  stay: Stay,
): ReturnType<Performer["perform"]> {
  const { run, attempt } = context;
  const { node, pass, attempt: n } = attempt;
  let snapshots: Snapshots;
  try {
    const found = await snapshotsOf(run);
    if (found === null) throw new Error(`${context.cwd} is in no git working tree any more`);
    snapshots = found;
    if (n === 1) await snapshots.keep(refs.before(run, node, pass), await snapshots.take());
    else await goBack(snapshots, context, stay);
  } catch (error) {
    const text = `the tree before it cannot be kept: ${messageOf(error)}`;
    return { outcome: "error", reason: { code: "could_not_start", text }, beforeEffect: true };
  }
  const result = await performer.perform(context);
  // A retry may follow. Where the picture cannot be taken it begins from the tree as it is, which it says.
  if (result.outcome === "error" && stay.isAlone)
    await snapshots
      .take()
      .then((tree) => snapshots.keep(refs.after(run, node, pass, n), tree))
      .catch(() => undefined);
  return result;
}

/** Takes back what the attempt before this one changed, as far as nobody changed it since. */
async function goBack(snapshots: Snapshots, context: ActionContext, stay: Stay): Promise<void> {
  const { run, attempt } = context;
  const { node, pass, attempt: n } = attempt;
  const say = (text: string): void => context.report({ kind: "line", stream: "stderr", text });
  const [before, after] = await Promise.all([
    snapshots.kept(refs.before(run, node, pass)),
    snapshots.kept(refs.after(run, node, pass, n - 1)),
  ]);
  if (before === null || after === null || !stay.isAlone)
    return say("the tree stays as the attempt before left it: others were at work in it, or nothing tells how it was");
  const [changed, since] = await Promise.all([
    snapshots.changed(before, after),
    snapshots.take().then((now) => snapshots.changed(after, now)),
  ]);
  const later = new Set(since);
  const own = changed.filter((path) => !later.has(path));
  const left = own.length === 0 ? [] : await snapshots.restore(refs.before(run, node, pass), own);
  const stays = [...left, ...changed.filter((path) => later.has(path))];
  if (stays.length > 0)
    say(`not taken back from the attempt before: ${stays.slice(0, limits.evidenceLines).map(shownName).join(", ")}`);
}
