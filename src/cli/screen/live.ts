import type { Attempt, JournalEvent } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Progress } from "../../ports/performer.ts";
import { fold } from "../../views/fold.ts";
import { inert, lastLine } from "../../views/inert.ts";
import { pauseText } from "../../views/words.ts";
import type { RunView } from "../../views/run-view.ts";
import type { Output } from "../output.ts";
import type { Display } from "./display.ts";
import { frame } from "./frame.ts";
import type { Palette } from "./palette.ts";
import { width } from "./text.ts";

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Stands before a line: after one that fills the terminal it would erase the last character. */
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

/** The live tree. Draws at most every `limits.redrawMs`, and only what changed since the last frame. */
export class LiveDisplay implements Display {
  readonly #output: Output;
  readonly #view: RunView;
  readonly #colors: Palette;
  readonly #now: () => number;
  readonly #lines = new Map<string, string>();
  readonly #undo: (() => void)[] = [];
  #drawn: readonly string[] = [];
  #suspended = 0;

  constructor(output: Output, view: RunView, colors: Palette, now: () => number) {
    this.#output = output;
    this.#view = view;
    this.#colors = colors;
    this.#now = now;
    const timer = setInterval(() => this.#draw(), limits.redrawMs);
    timer.unref();
    const restore = () => output.write(showCursor);
    process.once("exit", restore);
    this.#undo.push(
      () => clearInterval(timer),
      () => process.off("exit", restore),
      output.onResize(() => this.#draw()),
    );
    output.write(hideCursor);
  }

  event(event: JournalEvent): void {
    fold(this.#view, event);
    if (event.body.type !== "node.ended") return;
    const { node, result } = event.body;
    const said = lastLine(
      result.reason?.code === "exit" || result.reason === undefined ? (result.output?.text ?? "") : result.reason.text,
    );
    if (said !== "") this.#lines.set(node, said);
  }

  progress(at: Attempt, progress: Progress): void {
    const said = progressLine(progress);
    if (said !== "") this.#lines.set(at.node, said);
  }

  suspend(): void {
    this.#suspended += 1;
    if (this.#suspended > 1) return;
    this.#draw(true);
    this.#output.write(showCursor);
    this.#drawn = [];
  }

  resume(): void {
    this.#suspended -= 1;
    if (this.#suspended === 0) this.#output.write(hideCursor);
  }

  finish(): void {
    if (this.#undo.length === 0) return;
    this.#draw(true);
    for (const step of this.#undo.splice(0)) step();
    this.#output.write(showCursor);
  }

  #draw(force = false): void {
    if (this.#suspended > 0 && !force) return;
    if (this.#view.startedAt === 0) return;
    const size = this.#output.size();
    const next = frame({ view: this.#view, lines: this.#lines, now: this.#now(), ...size, colors: this.#colors });
    if (next.length === this.#drawn.length && next.every((line, at) => line === this.#drawn[at])) return;
    this.#output.write(
      rewind(this.#drawn, size.columns) + next.map((line) => `${clearLine}${line}\n`).join("") + clearBelow,
    );
    this.#drawn = next;
  }
}

/** Back to the first line of the last frame; a narrower terminal has wrapped its lines meanwhile. */
function rewind(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0);
  return rows === 0 ? "" : `\u001b[${rows}A\r`;
}

function progressLine(progress: Progress): string {
  switch (progress.kind) {
    case "line":
      return lastLine(progress.text);
    case "agent":
      return agentLine(progress.event);
    case "gate_opened":
      return lastLine(progress.prompt);
    case "gate_answered":
    case "process":
      return "";
  }
}

function agentLine(event: Extract<Progress, { readonly kind: "agent" }>["event"]): string {
  switch (event.type) {
    case "text":
    case "thinking":
      return lastLine(event.text);
    case "tool_call":
      return inert(`→ ${event.tool} ${JSON.stringify(event.input)}`.slice(0, limits.previewBytes));
    case "tool_result":
      return event.ok ? "" : `✗ ${event.tool}: ${lastLine(event.output)}`;
    case "diff":
      return inert(`± ${event.path}`);
    case "permission":
      return inert(`${event.decision}: ${event.tool} ${event.request}`.slice(0, limits.previewBytes));
    case "paused":
    case "quiet":
      return pauseText(event);
    case "read":
      return event.how === "outside" || event.how === "refused" ? inert(`${event.how}: ${event.path}`) : "";
    case "context":
    case "usage":
    case "stop":
      return "";
  }
}
