import type { NodeClass } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import { inertLine } from "../../views/inert.ts";
import type { AttemptView, NodeState, NodeView } from "../../views/run-view.ts";
import { addUsage, zeroUsage } from "../../model/usage.ts";
import { classGlyphs, elapsed, stateGlyphs, usageText } from "../../views/words.ts";
import type { LiveRun } from "./live-run.ts";
import type { Palette } from "./palette.ts";
import { fit, pad, width } from "./text.ts";

type ShownRun = Pick<LiveRun, "view" | "lines" | "insideOf" | "link">;

export interface FrameInput {
  readonly run: ShownRun;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly colors: Palette;
}

/** A node on the screen: of the run, or indented of one inside it. */
interface Row {
  readonly run: ShownRun;
  readonly node: NodeView;
  readonly label: string;
}

/** What a row stands for that has no room. */
interface More {
  readonly more: number;
  readonly indent: string;
}

/** The lines of the live view: at most `rows` - 1 of them, none wider than `columns`. */
export function frame(input: FrameInput): string[] {
  const { run, columns, rows, colors } = input;
  const room = Math.max(1, rows - 4);
  const nodes = [...run.view.nodes.values()];
  const shown = choose(nodes, room);
  let left = room - shown.length;
  const body = shown.flatMap((node): (Row | More)[] => {
    const fitting = left <= 0 ? [] : cut(rowsInside(run, node, "  "), Math.min(left, limits.rowsInside), "  ");
    left -= fitting.length;
    return [{ run, node, label: node.id }, ...fitting];
  });
  const labels = body.map((one) => ("more" in one ? 0 : width(one.label)));
  const idColumns = Math.min(limits.nodeIdColumns, Math.max(4, ...labels));
  const lines = [header(input), ...body.map((one) => line(one, idColumns, input))];
  const hidden = nodes.length - shown.length;
  if (hidden > 0) lines.push(colors.dim(fit(`  … ${hidden} more`, columns)));
  lines.push(footer(input));
  return lines.slice(-Math.max(1, rows - 1));
}

/** What goes on inside a node: all that has begun of a call, and what is at work in the items of a map. */
function rowsInside(run: ShownRun, { id }: NodeView, indent: string): readonly Row[] {
  return [...(run.insideOf.get(id)?.under.values() ?? [])].flatMap((child) => {
    const item = child.link?.item;
    const begun = [...child.view.nodes.values()].filter(({ state }) =>
      item === undefined ? state !== "idle" : isAtWork(state),
    );
    const prefix = item === undefined ? indent : `${indent}[${item}]/`;
    return begun.flatMap((node) => [
      { run: child, node, label: `${prefix}${node.id}` },
      ...rowsInside(child, node, `${indent}  `),
    ]);
  });
}

function cut(rows: readonly Row[], most: number, indent: string): readonly (Row | More)[] {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), { more: rows.length - most + 1, indent }];
}

function line(one: Row | More, idColumns: number, input: FrameInput): string {
  if (!("more" in one)) return nodeLine(one, idColumns, input);
  return input.colors.dim(fit(`     ${one.indent}… ${one.more} more`, input.columns));
}

/** What is at work first, then what ended last, then what is to come; shown in document order. */
function choose(nodes: readonly NodeView[], room: number): readonly NodeView[] {
  if (nodes.length <= room) return nodes;
  const rank = (node: NodeView) =>
    isAtWork(node.state) ? Number.POSITIVE_INFINITY : (node.attempts.at(-1)?.startedAt ?? 0);
  const kept = new Set(nodes.toSorted((a, b) => order(rank(b), rank(a))).slice(0, room));
  return nodes.filter((node) => kept.has(node));
}

/** Infinity - Infinity is not a number. */
function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function isAtWork(state: NodeState): boolean {
  return state === "running" || state === "waiting" || state === "retrying" || state === "asleep";
}

function header({ run: { view }, columns, colors }: FrameInput): string {
  const title = fit(view.blueprint, Math.max(8, Math.floor(columns / 2)));
  const rest = fit(`  ${oneLine(view.task)}`, columns - width(title));
  return colors.bold(title) + colors.dim(rest);
}

function footer({ run: { view }, now, columns, colors }: FrameInput): string {
  const time = elapsed((view.endedAt ?? now) - view.startedAt);
  const used = usageText(view.usage);
  const reason = view.reason === null ? "" : `  ${oneLine(view.reason)}`;
  const text = fit(`${view.status}  ${time}${used === "" ? "" : `  ${used}`}  ${view.run}${reason}`, columns);
  return view.status === "succeeded"
    ? colors.green(text)
    : view.status === "running"
      ? colors.dim(text)
      : colors.yellow(text);
}

function nodeLine({ run, node, label }: Row, idColumns: number, { now, columns, colors }: FrameInput): string {
  const last = node.attempts.at(-1);
  const glyph = stateGlyphs[node.state];
  const shape = node.class === null ? " " : classGlyphs[node.class];
  const facts = [passText(node), timeText(last, now), itemsText(run, node), usageText(usageOf(node))]
    .filter((one) => one !== "")
    .join("  ");
  const left = `${pad(label, idColumns)}  ${facts}`;
  const head = fit(left, columns - 6);
  const until = run.view.asleep.get(node.id);
  const pause = until === undefined ? null : `waits for its provider, ${elapsed(until - now)} more`;
  const said = last?.question ?? pause ?? run.lines.get(node.id) ?? "";
  const room = columns - 6 - width(head) - 2;
  const tail = room >= 8 && said !== "" ? `  ${fit(oneLine(said), room)}` : "";
  const painted = node.state === "idle" ? colors.dim(head) : head;
  return ` ${paintState(glyph, node.state, colors)} ${paintClass(shape, node.class, colors)} ${painted}${colors.dim(tail)}`;
}

function passText(node: NodeView): string {
  if (node.charged !== null) return `${node.charged.passes}/${node.charged.cap}`;
  return node.passes > 1 ? `×${node.passes}` : "";
}

function itemsText(run: ShownRun, { id, type }: NodeView): string {
  const over = run.insideOf.get(id)?.over ?? 0;
  return type === "map" && over > 0 ? `${over} done` : "";
}

function timeText(last: AttemptView | undefined, now: number): string {
  return last === undefined ? "" : elapsed((last.endedAt ?? now) - last.startedAt);
}

function usageOf(node: NodeView): typeof zeroUsage {
  return node.attempts.reduce(
    (sum, attempt) => (attempt.usage === null ? sum : addUsage(sum, attempt.usage)),
    zeroUsage,
  );
}

function oneLine(text: string): string {
  return inertLine(text).trim();
}

function paintState(glyph: string, state: NodeState, colors: Palette): string {
  switch (state) {
    case "success":
      return colors.green(glyph);
    case "failure":
    case "error":
      return colors.red(glyph);
    case "running":
    case "waiting":
    case "retrying":
    case "asleep":
      return colors.cyan(glyph);
    case "cancelled":
    case "skipped":
    case "unconfirmed":
      return colors.yellow(glyph);
    case "idle":
      return colors.dim(glyph);
  }
}

function paintClass(glyph: string, nodeClass: NodeClass | null, colors: Palette): string {
  if (nodeClass === "agentic") return colors.magenta(glyph);
  return nodeClass === "human" ? colors.yellow(glyph) : colors.blue(glyph);
}
