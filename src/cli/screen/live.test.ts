import xterm from "@xterm/headless";
import picocolors from "picocolors";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventBody } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { emptyView } from "../../views/fold.ts";
import type { Output } from "../output.ts";
import { LiveDisplay } from "./live.ts";
import { LiveRun } from "./live-run.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A live view on an emulated terminal: what a person would see. */
class Stage {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  readonly display: LiveDisplay;
  writes = 0;
  #seq = 0;
  #resized: () => void = () => undefined;

  constructor(columns: number, rows: number) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
    const output: Output = {
      terminal: true,
      write: (text) => this.terminal.write(text),
      draw: (frame) => {
        this.writes += 1;
        this.terminal.write(frame);
      },
      closed: () => false,
      fault: () => null,
      size: () => ({ columns: this.terminal.cols, rows: this.terminal.rows }),
      onResize: (listener) => {
        this.#resized = listener;
        return () => undefined;
      },
      flush: () => Promise.resolve(),
    };
    this.display = new LiveDisplay(
      output,
      new LiveRun(emptyView("r", null), null, new Map(), null, () => undefined),
      picocolors.createColors(true),
      () => 5000,
    );
  }

  event(body: EventBody): void {
    this.#seq += 1;
    this.display.event({ run: "r", seq: this.#seq, at: 1000, hash: "", body });
  }

  start(task: string): void {
    const owner = { pid: 1, startTime: "1", bootId: "b" };
    const hashes = { contentHash: "", bindingHash: "" };
    this.event({ type: "run.started", taskId: "r", task, blueprint: "live", ...hashes, inputs: {}, cwd: "/", owner });
  }

  node(id: string, line: string): void {
    const at = { node: id, pass: 1, attempt: 1 };
    this.event({ type: "node.started", ...at, step: 1, from: [] });
    this.display.progress(at, { kind: "line", stream: "stdout", text: line });
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.#resized();
  }

  /** The lines from the top of the scrollback on, without empty ones at the end. */
  async screen(): Promise<string[]> {
    await new Promise<void>((done) => this.terminal.write("", done));
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }
}

const tick = () => vi.advanceTimersByTime(limits.redrawMs);

describe("the live view on a terminal", () => {
  it("redraws in place and leaves one frame", async () => {
    const stage = new Stage(60, 10);
    stage.start("see it");
    for (const line of ["one", "two", "three, which is longer", "four"]) {
      stage.node("a", line);
      tick();
    }
    stage.display.finish();
    expect(await stage.screen()).toEqual(["live  see it", " ▸   a     ×4  4.0s  four", "running  4.0s  r"]);
  });

  it("keeps the last character of a line that fills the terminal, and cuts wide ones at its edge", async () => {
    const stage = new Stage(30, 10);
    stage.start("x".repeat(100));
    stage.node("a", "日本語の出力がここに続きます");
    tick();
    const lines = await stage.screen();
    expect(lines[0]).toBe(`live  ${"x".repeat(23)}…`);
    expect(lines[1]).toMatch(/^ ▸ {3}a {5}4\.0s {2}日本語の出.*…$/);
    expect(lines).toHaveLength(3);
  });

  it("does not write when nothing changed, however often the timer fires", () => {
    const stage = new Stage(60, 10);
    stage.start("idle");
    tick();
    const before = stage.writes;
    for (let at = 0; at < 50; at += 1) tick();
    expect(stage.writes).toBe(before);
  });

  it("gives a burst of events one redraw", () => {
    const stage = new Stage(60, 10);
    stage.start("busy");
    tick();
    const before = stage.writes;
    for (let at = 0; at < 1000; at += 1) stage.node("a", `line ${at}`);
    tick();
    expect(stage.writes).toBe(before + 1);
  });

  it("leaves nothing behind when the terminal becomes narrower or wider", async () => {
    const stage = new Stage(60, 12);
    stage.start("a task of some length that fills the first line well");
    stage.node("first", "output that is long enough to be cut on a narrow screen");
    tick();
    stage.resize(30, 12);
    tick();
    stage.resize(80, 12);
    stage.node("first", "the end");
    tick();
    stage.display.finish();
    const lines = await stage.screen();
    expect(lines.filter((line) => line.startsWith("live"))).toHaveLength(1);
    expect(lines.at(-2)).toMatch(/first .*the end$/);
  });

  it("frees the terminal for a prompt and draws below it afterwards", async () => {
    const stage = new Stage(60, 20);
    stage.start("ask");
    stage.node("gate", "waiting");
    tick();
    stage.display.suspend();
    stage.terminal.write("Approve? [y/N] y\r\n");
    tick();
    stage.display.resume();
    stage.node("gate", "answered");
    tick();
    const lines = await stage.screen();
    expect(lines.findIndex((line) => line.startsWith("Approve?"))).toBe(3);
    expect(lines[5]).toContain("answered");
  });

  it("never lets a program's output act on the terminal", async () => {
    const stage = new Stage(60, 10);
    stage.start("\u001b[2J\u001b]0;owned\u0007task");
    stage.node("a", "\u001b[10;10Hjump");
    tick();
    expect((await stage.screen()).slice(0, 2)).toEqual(["live  task", " ▸   a     4.0s  jump"]);
  });
});
