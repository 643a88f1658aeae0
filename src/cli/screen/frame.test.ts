import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { emptyView } from "../../views/fold.ts";
import type { NodeState, NodeView, RunView } from "../../views/run-view.ts";
import { frame } from "./frame.ts";
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
  };
}

describe("frame", () => {
  it("shows state, class, passes of the cap, time and the last line of each node", () => {
    const lines = frame({
      view: view([
        {
          id: "fix",
          class: "agentic",
          state: "running",
          charged: { passes: 2, cap: 3 },
          attempts: [attempt(1, 1000, null)],
        },
        { id: "test", state: "failure", passes: 2, attempts: [attempt(1, 1000, 1500)] },
      ]),
      lines: new Map([["test", "1 failing"]]),
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
          const lines = frame({ view: shown, lines: said, now: 90_000_000, columns, rows, colors: plain });
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
    const lines = frame({ view: view(nodes), lines: new Map(), now: 100, columns: 60, rows: 10, colors: plain });
    expect(lines.some((line) => line.includes("n40"))).toBe(true);
    expect(lines.some((line) => line.includes("44 more"))).toBe(true);
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
