import { simulate } from "../engine/simulate.ts";
import { compile } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Attempt, EventBody, RunStarted } from "../model/events.ts";
import type { NodeResult, RunStatus } from "../model/outcome.ts";

/** How a run would have gone with another blueprint, as far as its recorded outcomes tell. */
export interface WhatIf {
  readonly before: RunEndSeen;
  readonly after: RunEndSeen;
  /** Nodes that start more or less often; retries do not count. */
  readonly starts: readonly { readonly node: string; readonly before: number; readonly after: number }[];
  /** Nodes that needed an outcome nobody recorded; they are taken to succeed. */
  readonly assumed: readonly string[];
}

interface RunEndSeen {
  /** Null where there is no end. */
  readonly status: RunStatus | null;
  readonly reason: string | null;
}

/** Plays the outcomes of `events` to another blueprint: no process, no model. Null where the events do not begin with a run's start. */
export function whatIf(events: readonly EventBody[], blueprint: Blueprint): WhatIf | null {
  const [started] = events;
  if (started?.type !== "run.started") return null;
  const recorded = outcomesOf(events);
  const assumed = new Set<string>();
  const after = simulate(compile(blueprint), openingOf(started, events), (attempt): NodeResult => {
    const result = recorded.get(keyOf(attempt));
    if (result === undefined) assumed.add(attempt.node);
    return result ?? { outcome: "success" };
  });
  return { before: endOf(events), after: endOf(after), starts: changed(events, after), assumed: [...assumed].sort() };
}

export function whatIfText(run: string, file: string, { before, after, starts, assumed }: WhatIf): string {
  const sameEnd = before.status === after.status && before.reason === after.reason;
  const end = sameEnd ? `${said(after)}, as before` : `${said(after)}; it was ${said(before)}`;
  const head = sameEnd && starts.length === 0 ? "the same" : end;
  const lines = starts.map(({ node, before: from, after: to }) => `  ${node}: ${from} → ${to} starts\n`);
  const guess = assumed.length === 0 ? "" : `  taken to succeed, since nothing was recorded: ${assumed.join(", ")}\n`;
  return `${run} with ${file}: ${head}\n${lines.join("")}${guess}`;
}

function said({ status, reason }: RunEndSeen): string {
  return `${status ?? "without an end"}${reason === null ? "" : ` (${reason})`}`;
}

/** The start, and what earlier runs of the task had used of its caps by then. */
function openingOf(started: RunStarted, events: readonly EventBody[]): [RunStarted, ...EventBody[]] {
  const synced = events.find((event) => event.type === "passes.synced");
  return synced === undefined ? [started] : [started, synced];
}

/** What each pass came to; its retries, and attempts that died with an engine, are left out. */
function outcomesOf(events: readonly EventBody[]): Map<string, NodeResult> {
  const recorded = new Map<string, NodeResult>();
  for (const event of events) if (event.type === "node.ended") recorded.set(keyOf(event), event.result);
  return recorded;
}

function keyOf({ node, pass }: Attempt): string {
  return `${node} ${pass}`;
}

function endOf(events: readonly EventBody[]): RunEndSeen {
  const end = events.findLast((event) => event.type === "run.finished");
  return { status: end?.status ?? null, reason: end?.reason ?? null };
}

function changed(before: readonly EventBody[], after: readonly EventBody[]): WhatIf["starts"] {
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
