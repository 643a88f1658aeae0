import type { Attempt } from "../../model/attempt.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Progress } from "../../ports/performer.ts";
import type { Observer } from "../../runtime/api.ts";
import type { Output } from "../output.ts";
import type { Display } from "./display.ts";
import { frame } from "./frame.ts";
import type { LiveRun } from "./live-run.ts";
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
  readonly #run: LiveRun;
  readonly #colors: Palette;
  readonly #now: () => number;
  readonly #undo: (() => void)[] = [];
  #drawn: readonly string[] = [];
  #suspended = 0;

  constructor(output: Output, run: LiveRun, colors: Palette, now: () => number) {
    this.#output = output;
    this.#run = run;
    this.#colors = colors;
    this.#now = now;
    const timer = setInterval(() => this.#draw(), limits.redrawMs);
    timer.unref();
    const restore = () => output.draw(showCursor);
    process.once("exit", restore);
    this.#undo.push(
      () => clearInterval(timer),
      () => process.off("exit", restore),
      output.onResize(() => this.#draw()),
    );
    output.draw(hideCursor);
  }

  event(event: JournalEvent): void {
    this.#run.event(event);
  }

  progress(at: Attempt, progress: Progress): void {
    this.#run.progress(at, progress);
  }

  inside(parent: ParentLink): Observer {
    return this.#run.inside(parent);
  }

  suspend(): void {
    this.#suspended += 1;
    if (this.#suspended > 1) return;
    this.#draw(true);
    this.#output.draw(showCursor);
    this.#drawn = [];
  }

  resume(): void {
    this.#suspended -= 1;
    if (this.#suspended === 0) this.#output.draw(hideCursor);
  }

  finish(): void {
    if (this.#undo.length === 0) return;
    this.#draw(true);
    for (const step of this.#undo.splice(0)) step();
    this.#output.draw(showCursor);
  }

  #draw(force = false): void {
    if (this.#suspended > 0 && !force) return;
    if (this.#run.view.startedAt === 0) return;
    const size = this.#output.size();
    const next = frame({ run: this.#run, now: this.#now(), ...size, colors: this.#colors });
    if (next.length === this.#drawn.length && next.every((line, at) => line === this.#drawn[at])) return;
    this.#output.draw(
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
