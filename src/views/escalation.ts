import type { RunHalting } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import { inert, inertLine } from "./inert.ts";

/** What an escalation says, beside its evidence. */
export interface Escalation {
  readonly taskId: string;
  /** Inside a call `call/child`. */
  readonly node: string;
  readonly iteration: { readonly n: number; readonly max: number };
  readonly reason: string;
}

/** The escalation of a run that halts for one; null for every other halt. */
export function escalationOf(taskId: string, halt: RunHalting): Escalation | null {
  if (halt.cause !== "escalated") return null;
  const { node = "", iteration = { n: 1, max: 1 }, reason } = halt;
  return { taskId, node, iteration, reason: reason.text };
}

/**
 * The block that people and programs wait for, byte for byte, with a newline at its end. `evidence` is the error output
 * of the node that failed, with secrets masked, of both where two failures led there; its last lines are shown.
 */
export function escalationBlock(escalation: Escalation, evidence: readonly string[]): string {
  const { taskId, node, iteration, reason } = escalation;
  return [
    "BLUEPRINT_ESCALATION",
    `task_id: ${oneLine(taskId)}`,
    `node: ${oneLine(node)}`,
    `iteration: ${iteration.n}/${iteration.max}`,
    `reason: ${oneLine(reason)}`,
    `evidence: ${evidenceText(evidence)}`,
    "next_action: Human review required — do not retry automatically",
    "",
  ].join("\n");
}

/**
 * The section for the state file, with the time as `DD/MM/YYYY HH:MM ZONE` in the
 * given IANA zone. `at` is milliseconds since the epoch.
 */
export function escalationSection(escalation: Escalation, at: number, timezone: string): string {
  return [
    `## Minion Escalation — ${stamp(at, timezone)}`,
    `task_id: ${oneLine(escalation.taskId)}`,
    "status: ESCALATED",
    `node: ${oneLine(escalation.node)}`,
    `reason: ${oneLine(escalation.reason)}`,
    "",
  ].join("\n");
}

function oneLine(text: string): string {
  return inertLine(text).trim();
}

/** Of two failures the later one gets most of the lines, and what the earlier one leaves free. */
function evidenceText(texts: readonly string[]): string {
  const [last = [], before = []] = texts.toReversed().map(linesOf);
  const most = limits.evidenceLines;
  const shown = last.slice(-Math.max(Math.ceil(most / 2), most - before.length));
  const lines = [...before.slice(Math.max(0, before.length - (most - shown.length))), ...shown];
  return lines.length === 0 ? "(no output)" : lines.join("\n");
}

function linesOf(text: string): readonly string[] {
  const said = inert(text).trimEnd();
  return said === "" ? [] : said.split("\n");
}

function stamp(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-AU", {
    timeZone,
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const date = `${part("day")}/${part("month")}/${part("year")}`;
  return `${date} ${part("hour")}:${part("minute")} ${part("timeZoneName")}`;
}
