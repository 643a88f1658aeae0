import { describe, expect, test } from "vitest";
import type { Node } from "../model/node.ts";
import type { LogLine } from "./log.ts";
import { decisionAbout, repeated } from "./settling.ts";

const script: Node = { id: "a", type: "script", run: "a" };

function begun(path: string, pass = 1, attempt = 1): LogLine {
  return { kind: "begun", path, pass, attempt };
}

function ended(part: Partial<Extract<LogLine, { kind: "ended" }>> = {}): LogLine {
  return { kind: "ended", path: "a", pass: 1, attempt: 1, outcome: "success", option: false, changed: {}, ...part };
}

function decided(log: readonly LogLine[], reference: readonly LogLine[], node: Node = script, real = false) {
  const what = { path: "a", node, attempt: { node: "a", pass: 1, attempt: 1 }, real };
  const digest = (path: string): string | null => (path === "there" ? "digest" : null);
  return decisionAbout(what, { log, reference, digest });
}

describe("what a person says of a node whose outcome nobody knows", () => {
  test("that nothing shows it was begun: again", () => {
    expect(decided([], [begun("a"), ended()])).toBe("again");
    expect(decided([begun("a", 2), begun("b"), begun("a", 1, 2)], [ended()])).toBe("again");
  });

  test("that the log shows it: done or failed, as where nothing happens", () => {
    expect(decided([begun("a")], [ended()])).toBe("done");
    expect(decided([begun("a")], [ended({ outcome: "failure" })])).toBe("failed");
    expect(decided([begun("a")], [ended()], { ...script, expect: "failure" })).toBe("failed");
    expect(decided([begun("a")], [ended({ outcome: "failure" })], { ...script, expect: "failure" })).toBe("done");
  });

  test("that only its own word tells what it chose, or that it could not be carried out: again", () => {
    expect(decided([begun("a")], [ended({ option: true })])).toBe("again");
    expect(decided([begun("a")], [ended({ outcome: "error" })])).toBe("again");
    expect(decided([begun("a")], [])).toBe("again");
  });

  test("that what was carried out has left its files: done; that it has not, or leaves none: again", () => {
    expect(decided([begun("a")], [ended({ changed: { there: "digest" } })], script, true)).toBe("done");
    expect(decided([begun("a")], [ended({ changed: { there: "digest", gone: null } })], script, true)).toBe("done");
    expect(decided([begun("a")], [ended({ changed: { there: "other" } })], script, true)).toBe("again");
    expect(decided([begun("a")], [ended({ changed: { not: "digest" } })], script, true)).toBe("again");
    expect(decided([begun("a")], [ended()], script, true)).toBe("again");
  });
});

describe("what was done more often than anybody decided", () => {
  const nodes = new Map<string, Node>([
    ["a", script],
    ["safe", { ...script, idempotent: true }],
    ["ask", { id: "ask", type: "human", mode: "approval", prompt: { source: "", parts: [] } }],
  ]);
  const found = (log: readonly LogLine[], reference: readonly LogLine[], again: readonly string[] = []) =>
    repeated(
      (path) => nodes.get(path),
      { log, reference },
      again.map((path) => ({ path, pass: 1 })),
    );

  test("a second performance that nobody asked for", () => {
    expect(found([begun("a"), begun("a", 1, 2)], [begun("a")])).toEqual([{ path: "a", pass: 1, times: 2 }]);
    expect(found([begun("a"), begun("a", 1, 2), begun("a", 1, 3)], [begun("a")], ["a"])).toHaveLength(1);
  });

  test("not what was decided, what is retried anyhow, another pass, or what may be repeated", () => {
    expect(found([begun("a"), begun("a", 1, 2)], [begun("a")], ["a"])).toEqual([]);
    expect(found([begun("a"), begun("a", 1, 2)], [begun("a"), begun("a", 1, 2)])).toEqual([]);
    expect(found([begun("a"), begun("a", 2)], [begun("a"), begun("a", 2)])).toEqual([]);
    expect(found([begun("safe"), begun("safe", 1, 2), begun("ask"), begun("ask", 1, 2)], [])).toEqual([]);
  });
});
