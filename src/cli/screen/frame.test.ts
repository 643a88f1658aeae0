import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { EventBody, JournalEvent, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { emptyView } from "../../views/fold.ts";
import type { NodeState, NodeView, RunView } from "../../views/run-view.ts";
import { frame, type FrameInput } from "./frame.ts";
import { LiveRun } from "./live-run.ts";
import { fit, pad, width } from "./text.ts";

const plain = picocolors.createColors(false);

function view(nodes: readonly Partial<NodeView>[]): RunView {
  const made = emptyView("run-1", null);
  made.blueprint = "fix-test-failure";
  made.task = "make it pass";
  made.startedAt = 1;
  nodes.forEach((node, at) => {
    const id = node.id ?? `n${at}`;
    made.nodes.set(id, {
      id,
      type: "script",
      class: "deterministic",
      title: null,
      state: "idle",
      passes: 0,
      charged: null,
      attempts: [],
      ...node,
    });
  });
  return made;
}

function attempt(n: number, startedAt: number, endedAt: number | null): NodeView["attempts"][number] {
  return {
    n,
    pass: n,
    attempt: 1,
    outcome: endedAt === null ? null : "success",
    reason: null,
    startedAt,
    endedAt,
    output: null,
    outputBytes: 0,
    outputBlob: null,
    usage: null,
    bundle: null,
    outside: [],
    refused: [],
    question: null,
    gate: null,
    answers: [],
  };
}

function run(shown: RunView, lines: ReadonlyMap<string, string> = new Map()): FrameInput["run"] {
  return { view: shown, lines: new Map(lines), insideOf: new Map(), link: null };
}

describe("frame", () => {
  it("shows state, class, passes of the cap, time and the last line of each node", () => {
    const lines = frame({
      run: run(
        view([
          {
            id: "fix",
            class: "agentic",
            state: "running",
            charged: { passes: 2, cap: 3 },
            attempts: [attempt(1, 1000, null)],
          },
          { id: "test", state: "failure", passes: 2, attempts: [attempt(1, 1000, 1500)] },
        ]),
        new Map([["test", "1 failing"]]),
      ),
      now: 3500,
      columns: 80,
      rows: 24,
      colors: plain,
    });
    expect(lines[1]).toBe(" ▸ ◆ fix   2/3  2.5s");
    expect(lines[2]).toBe(" ✗ ■ test  ×2  0.5s  1 failing");
  });

  it("never is wider or higher than the terminal, whatever is in it", () => {
    const state = fc.constantFrom<NodeState>("idle", "running", "waiting", "success", "failure", "skipped");
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("日本語のテスト出力です", "👩‍👩‍👧‍👦 family", "é".repeat(300)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, state), { maxLength: 30 }),
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 4, max: 50 }),
        (nodes, columns, rows) => {
          const said = new Map(nodes.map(([line], at) => [`n${at}`, line] as const));
          const shown = view(nodes.map(([, one], at) => ({ state: one, attempts: [attempt(1, at, null)] })));
          shown.task = nodes[0]?.[0] ?? "";
          const lines = frame({ run: run(shown, said), now: 90_000_000, columns, rows, colors: plain });
          expect(lines.length).toBeLessThan(rows);
          for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it("keeps what is at work on a screen too small for all", () => {
    const nodes = Array.from({ length: 50 }, (_, at) => ({
      id: `n${at}`,
      state: at === 40 ? ("running" as const) : ("success" as const),
      attempts: [attempt(1, at + 1, at === 40 ? null : at + 2)],
    }));
    const lines = frame({ run: run(view(nodes)), now: 100, columns: 60, rows: 10, colors: plain });
    expect(lines.some((line) => line.includes("n40"))).toBe(true);
    expect(lines.some((line) => line.includes("44 more"))).toBe(true);
  });
});

describe("what goes on inside a node", () => {
  const owner = { pid: 1, startTime: "1", bootId: "b" };
  const hashes = { contentHash: "", bindingHash: "" };
  const told = (body: EventBody, seq: number): JournalEvent => ({ run: "r", seq, at: 1, hash: "", body });

  function begin(
    around: LiveRun,
    parent: Pick<ParentLink, "node" | "path" | "item">,
    nodes: readonly string[],
  ): LiveRun {
    const inner = around.inside({ run: "r", pass: 1, blueprint: "top", ...parent });
    const started = {
      type: "run.started",
      taskId: "r",
      task: "",
      blueprint: "b",
      ...hashes,
      inputs: {},
      cwd: "/",
      owner,
    } as const;
    inner.event(told(started, 1));
    nodes.forEach((node, at) =>
      inner.event(told({ type: "node.started", node, pass: 1, attempt: 1, step: 1, from: [] }, at + 2)),
    );
    return inner;
  }

  function top(): LiveRun {
    const shown = view([
      { id: "call", class: "wrapper", state: "running" },
      { id: "each", type: "map", state: "running" },
    ]);
    return new LiveRun(shown, null, new Map(), null, () => undefined);
  }

  const draw = (around: LiveRun, rows: number): readonly string[] =>
    frame({ run: around, now: 100, columns: 60, rows, colors: plain })
      .slice(1, -1)
      .map((one) => one.trimEnd());

  it("is indented under it, and what it says is its own", () => {
    const around = top();
    const inner = begin(around, { node: "call", path: "call/" }, ["x"]);
    begin(inner, { node: "x", path: "call/x[0]/", item: 0 }, ["do"]);
    inner.progress({ node: "x", pass: 1, attempt: 1 }, { kind: "line", stream: "stdout", text: "half way" });
    expect(draw(around, 20)).toEqual([
      " ▸ ▣ call",
      " ▸     x         0.1s  half way",
      " ▸       [0]/do  0.1s",
      " ▸ ■ each",
    ]);
  });

  it("of many items shows some of those at work, how many more there are, and how many are over", () => {
    const around = top();
    const items = Array.from({ length: 100 }, (_, item) =>
      begin(around, { node: "each", path: `each[${item}]/`, item }, ["do"]),
    );
    const usage = { inputTokens: 0, outputTokens: 0, turns: 0 };
    for (const item of items.slice(0, 60))
      item.event(told({ type: "run.finished", status: "succeeded", walkedPast: [], usage }, 9));
    const lines = draw(around, 40);
    expect(lines).toHaveLength(2 + limits.rowsInside);
    expect(lines[1]).toBe(" ▸ ■ each       60 done");
    expect(lines[2]).toBe(" ▸     [60]/do  0.1s");
    expect(lines.at(-1)).toBe(`       … ${40 - limits.rowsInside + 1} more`);
    expect(draw(around, 7)).toHaveLength(3);
  });
});

describe("fit", () => {
  it("cuts by columns, not by code units, and splits no character", () => {
    expect(fit("日本語", 5)).toBe("日本…");
    expect(fit("日本語", 6)).toBe("日本語");
    expect(fit("abc", 0)).toBe("");
    expect(pad("日本", 6)).toBe("日本  ");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        const cut = fit(text, columns);
        expect(width(cut)).toBeLessThanOrEqual(columns);
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
    );
  });
});
