import { playAgain } from "../engine/play-again.ts";
import type { Recorded } from "../engine/recorded.ts";
import { compile } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Node } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, RunHalting } from "../model/events.ts";
import type { NodeResult, RunStatus } from "../model/outcome.ts";
import type { RunLimits } from "../model/settings.ts";
import { assumedResult } from "./assumed.ts";
import { bindingsOf } from "./bindings.ts";
import { type Choose, type Decided, Decisions, isOtherwise } from "./decisions.ts";
import { Renamed } from "./renamed.ts";

/** How a run would have gone with another blueprint, as far as what came from the world tells. */
export interface WhatIf {
  readonly before: RunEndSeen;
  readonly after: RunEndSeen;
  /** Nodes that start more or less often; retries do not count. */
  readonly starts: readonly { readonly node: string; readonly before: number; readonly after: number }[];
  /** Where only one of them halts, in order. */
  readonly halts: { readonly before: readonly Halt[]; readonly after: readonly Halt[] };
  /** Nodes that needed an outcome nobody recorded; they are taken to succeed. */
  readonly assumed: readonly string[];
  /** Nodes that do something else now; what was recorded of them is taken all the same. */
  readonly changed: readonly string[];
  /** Passes of `decide` nodes that choose otherwise than was recorded, or by a guess, in the order of the run. */
  readonly decisions: readonly Decided[];
}

export interface RunEndSeen {
  /** Null where there is no end. */
  readonly status: RunStatus | null;
  readonly reason: string | null;
}

interface Halt {
  readonly cause: RunHalting["cause"];
  readonly node: string | null;
  readonly reason: string;
}

/** A run, and the blueprint that it is played to. */
export interface Tried {
  readonly journal: readonly Recorded[];
  /** What it was carried out with last; null where that cannot be had. */
  readonly was: Blueprint | null;
  readonly blueprint: Blueprint;
  /** What a call or a map came to instead, since runs inside it would have ended otherwise. */
  readonly instead: (attempt: Pick<Attempt, "node" | "pass">) => NodeResult | undefined;
  readonly choose: Choose;
  /** Whether runs inside a pass go another way, so that what it says is another thing though it ends as it did. */
  readonly goesOtherwise: (attempt: Pick<Attempt, "node" | "pass">) => boolean;
}

export interface Seen extends WhatIf {
  /** What would have been recorded. */
  readonly events: readonly EventBody[];
}

export function isSameEnd({ before, after }: WhatIf): boolean {
  return before.status === after.status && before.reason === after.reason;
}

/** Whether it would have gone and ended as it did. */
export function isSameWay(seen: WhatIf): boolean {
  const { starts, halts, decisions } = seen;
  return isSameEnd(seen) && starts.length + halts.before.length + halts.after.length + decisions.length === 0;
}

/**
 * Plays what was recorded to another blueprint: no process, no model. Null
 * where the events do not begin with a run's start.
 */
export async function whatIf({ journal, was, blueprint, instead, choose, goesOtherwise }: Tried): Promise<Seen | null> {
  if (journal[0]?.body.type !== "run.started") return null;
  const renamed = new Renamed(blueprint, journal);
  const parts = lastParts(journal);
  const bounds = new Map(parts.map(({ from, limits }) => [from, boundsOf(limits, was, blueprint)]));
  const recorded = journal.map(({ body, at }, i) => ({
    at,
    body: replaced(renamed.event(body), bounds.get(i), instead),
  }));
  const assume = ({ node }: Attempt): NodeResult => assumedResult(blueprint.nodes.get(node));
  const time =
    bounds.get(0)?.timeMs === (parts[0]?.limits ?? was?.limits ?? blueprint.limits).timeMs ? "recorded" : "counted";
  const decisions = new Decisions(blueprint, choose, goesOtherwise);
  const { events, assumed } = await playAgain(compile(blueprint), recorded, { assume, deduce: decisions.deduce }, time);
  const decided = decisions.in(events);
  const before = recorded.map(({ body }) => body);
  return {
    before: endOf(before),
    after: endOf(events),
    starts: changedStarts(before, events),
    halts: changedHalts(before, events),
    assumed,
    changed: changedNodes(before, was, blueprint).filter((node) => !decided.has(node)),
    decisions: [...decided.values()].flat().filter(isOtherwise),
    events,
  };
}

/** What it was bound by holds still where the document says of it what the other said. */
function boundsOf(recorded: RunLimits | undefined, was: Blueprint | null, { limits }: Blueprint): RunLimits {
  if (recorded === undefined || was === null) return limits;
  const own = Object.entries(limits).filter(([key, value]) => !isSame(value, valueAt(was.limits, key)));
  const kept = Object.entries(recorded).filter(([key]) => isSame(valueAt(was.limits, key), valueAt(limits, key)));
  return Object.fromEntries([...kept, ...own]);
}

/**
 * What bounds it from which place in the journal on, by what it was carried out with last: as if that had been so from
 * its start, and what became of it later, as where a run around it has less left.
 */
function lastParts(
  journal: readonly Recorded[],
): readonly { readonly from: number; readonly limits: RunLimits | undefined }[] {
  const parts = bindingsOf(journal.map(({ body }) => body));
  const last = parts.at(-1)?.bound;
  const before = parts.findLastIndex(
    ({ bound }) => bound.contentHash !== last?.contentHash || bound.bindingHash !== last.bindingHash,
  );
  return parts.slice(before + 1).map(({ from, bound: { limits } }, i) => ({ from: i === 0 ? 0 : from, limits }));
}

function valueAt(bounds: RunLimits, key: string): unknown {
  return new Map<string, unknown>(Object.entries(bounds)).get(key);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function replaced(body: EventBody, limits: RunLimits | undefined, instead: Tried["instead"]): EventBody {
  switch (body.type) {
    case "run.started":
      return limits === undefined ? body : { ...body, limits };
    case "run.resumed": {
      const { accepted, ...rest } = body;
      return accepted === undefined || limits === undefined ? rest : { ...rest, accepted: { ...accepted, limits } };
    }
    case "node.ended":
    case "node.retrying":
      return { ...body, result: instead(body) ?? body.result };
    default:
      return body;
  }
}

/** A run that goes on after an end has none. */
function endOf(events: readonly EventBody[]): RunEndSeen {
  const end = events.findLast((event) => event.type === "run.finished" || event.type === "run.resumed");
  if (end?.type !== "run.finished") return { status: null, reason: null };
  return { status: end.status, reason: end.reason ?? null };
}

function changedStarts(before: readonly EventBody[], after: readonly EventBody[]): WhatIf["starts"] {
  const [was, is] = [countStarts(before), countStarts(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .sort()
    .map((node) => ({ node, before: was.get(node) ?? 0, after: is.get(node) ?? 0 }))
    .filter((one) => one.before !== one.after);
}

function countStarts(events: readonly EventBody[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type === "node.started" && event.attempt === 1) counts.set(event.node, (counts.get(event.node) ?? 0) + 1);
  }
  return counts;
}

function changedHalts(before: readonly EventBody[], after: readonly EventBody[]): WhatIf["halts"] {
  const [was, is] = [haltsIn(before), haltsIn(after)];
  return { before: without(was, is), after: without(is, was) };
}

function haltsIn(events: readonly EventBody[]): readonly Halt[] {
  return events.flatMap((body) =>
    body.type === "run.halting" ? [{ cause: body.cause, node: body.node ?? null, reason: body.reason.text }] : [],
  );
}

function without(all: readonly Halt[], others: readonly Halt[]): readonly Halt[] {
  const known = others.map((one) => JSON.stringify(one));
  return all.filter((one) => {
    const at = known.indexOf(JSON.stringify(one));
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

function changedNodes(before: readonly EventBody[], was: Blueprint | null, { nodes }: Blueprint): readonly string[] {
  const ended = new Set(before.flatMap((body) => (body.type === "node.ended" ? [body.node] : [])));
  return [...nodes.values()]
    .filter(({ id, was: former }) => {
      const old = was?.nodes.get(former !== undefined && was.nodes.has(former) ? former : id);
      const node = nodes.get(id);
      if (!ended.has(id) || old === undefined || node === undefined) return false;
      return JSON.stringify(deedOf(old)) !== JSON.stringify(deedOf(node));
    })
    .map(({ id }) => id)
    .sort();
}

/**
 * Fields of which the consequence is seen, as what a call or a map does is
 * looked into, or that say something to people only.
 */
const seenOtherwise: ReadonlySet<string> = new Set(
  "id was title note cap retry join losers expect idempotent blueprint pin do".split(" "),
);

function deedOf(node: Node): object {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !seenOtherwise.has(key)));
}
