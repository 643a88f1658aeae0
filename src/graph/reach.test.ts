import { describe, expect, test } from "vitest";
import { arrows, blueprintOf } from "../../test/properties/graphs.ts";
import type { Bits } from "./bits.ts";
import { clearBit, emptyBits, firstCommon, hasBit, NodeSet, setBit } from "./bits.ts";
import { compile } from "./plan.ts";
import { closureInto, Reach } from "./reach.ts";

function world(edges: string): {
  of: (set: Bits) => string;
  node: (id: string) => number;
  plan: ReturnType<typeof compile>;
} {
  const list = arrows(edges);
  const plan = compile(blueprintOf([...new Set(list.flatMap(([from, , to]) => [from, to]))], list));
  return {
    plan,
    of: (set) => plan.ids.filter((_, node) => hasBit(set, node)).join(""),
    node: (id) => plan.index.get(id) ?? -1,
  };
}

describe("reach", () => {
  const { plan, of, node } = world("a>b,b>c,c>d,d!>b,a>x,x>d,d+>e");
  const reach = new Reach(plan);

  test("into a node: what leads to it in one pass", () => {
    expect(of(reach.into(node("d")))).toBe("abcdx");
    expect(of(reach.into(node("c")))).toBe("abc");
    expect(of(reach.into(node("e")))).toBe("abcdex");
  });

  test("from a node: what it leads to in one pass", () => {
    expect(of(reach.from(node("b")))).toBe("cde");
    expect(of(reach.from(node("c")))).toBe("de");
  });

  test("asked again it is the same set", () => {
    expect(reach.into(node("d"))).toBe(reach.into(node("d")));
  });

  test("a closure does not pass what it avoids", () => {
    expect(of(closureInto(plan, [node("c")], node("d"), node("b")))).toBe("c");
    expect(of(closureInto(plan, [node("d")], node("d"), node("d")))).toBe("");
  });
});

describe("arms of a join", () => {
  test("are the nodes whose every way leads through it", () => {
    const { plan, of, node } = world("s>a,s>b,a>j,b>m,m>j,j>e,b!>j");
    expect(of(new Reach(plan).arms(node("j")))).toBe("abms");
  });

  test("leave out what leads elsewhere too, and what leads to that", () => {
    const { plan, of, node } = world("s>a,s>b,a>j,b>m,m>j,m!>x,j>e");
    expect(of(new Reach(plan).arms(node("j")))).toBe("a");
  });

  test("do not go round a loop that the join lies in", () => {
    const { plan, of, node } = world("s>a,s>b,a>j,b>j,j>t,t!>s");
    expect(of(new Reach(plan).arms(node("j")))).toBe("abs");
  });
});

describe("bits", () => {
  test("are set, read and cleared one by one, at the borders of words too", () => {
    const bits = emptyBits(70);
    for (const index of [0, 31, 32, 63, 69]) setBit(bits, index);
    clearBit(bits, 32);
    expect(Array.from({ length: 70 }, (_, index) => index).filter((index) => hasBit(bits, index))).toEqual([
      0, 31, 63, 69,
    ]);
  });

  test("the first in common skips the exception", () => {
    const a = emptyBits(64);
    const b = emptyBits(64);
    for (const index of [5, 31, 40]) setBit(a, index);
    for (const index of [6, 31, 40]) setBit(b, index);
    expect([firstCommon(a, b, -1), firstCommon(a, b, 31), firstCommon(a, emptyBits(64), -1)]).toEqual([31, 40, -1]);
  });

  test.each([[4], [1_000]])("a node set of a universe of %d knows its members", (universe) => {
    const set = new NodeSet(Int32Array.from([3, 1]), universe);
    expect([...set.members]).toEqual([1, 3]);
    expect([0, 1, 2, 3].map((node) => set.has(node))).toEqual([false, true, false, true]);
  });
});
