import { describe, expect, test } from "vitest";
import type { Arrow } from "../../test/properties/graphs.ts";
import { arrows, blueprintOf } from "../../test/properties/graphs.ts";
import { limits } from "../model/limits.ts";
import type { Plan } from "./plan.ts";
import { compile } from "./plan.ts";

function planOf(edges: string | readonly Arrow[]): Plan {
  const list = typeof edges === "string" ? arrows(edges) : edges;
  const ids = new Set(list.flatMap(([from, , to]) => (to === "END" ? [from] : [from, to])));
  return compile(blueprintOf([...ids], list));
}

function name(plan: Plan, arc: number): string {
  return `${plan.ids[plan.graph.from[arc] ?? -1]}>${plan.ids[plan.graph.to[arc] ?? -1]}`;
}

/** Loop edges and bodies with their heads, as words. */
function loopsOf(edges: string | readonly Arrow[]): [string, string] {
  const plan = planOf(edges);
  const arcs = [...plan.loopOf.keys()].filter((arc) => (plan.loopOf[arc] ?? -1) >= 0);
  const loops = plan.loops.map(({ body, heads }) => {
    const ids = [...body.members].map((node) => plan.ids[node]).join("");
    return `${ids}@${heads.map((node) => plan.ids[node]).join("")}`;
  });
  return [arcs.map((arc) => name(plan, arc)).join(" "), loops.join(" ")];
}

describe("a plan", () => {
  test("numbers nodes in id order, whatever the order of the document", () => {
    const plan = planOf("c>a,a>b");
    expect(plan.ids).toEqual(["a", "b", "c"]);
    expect(plan.ids[plan.entry]).toBe("c");
    expect(plan.nodes.map(({ id }) => id)).toEqual(plan.ids);
  });

  test("has one arc from one node to another, with all its conditions", () => {
    const plan = planOf("a+>b,a!>b,a>c,b>a");
    expect([...plan.whens.keys()].map((arc) => name(plan, arc))).toEqual(["a>b", "a>c", "b>a"]);
    expect(plan.whens).toEqual([["failure", "success"], [null], [null]]);
  });

  test("keeps edges to END beside the arcs", () => {
    const edges = [
      { from: "a", to: "END", when: "failure", as: "failed" },
      { from: "a", to: "END", when: "success" },
    ] as const;
    const plan = compile({ ...blueprintOf(["a"], []), edges });
    expect(plan.exits).toEqual([
      [
        { when: "failure", failed: true },
        { when: "success", failed: false },
      ],
    ]);
    expect(plan.graph.to).toHaveLength(0);
  });

  test("counts the arms into a node without loop edges", () => {
    const plan = planOf("a>b,c>b,b!>b,a>c");
    expect([...plan.armsInto]).toEqual([0, 2, 1]);
  });

  test("of a blueprint with one node is one node", () => {
    const plan = compile(blueprintOf(["a"], []));
    expect([plan.ids, plan.loops, plan.last]).toEqual([["a"], [], -1]);
  });
});

describe("loop edges", () => {
  test.each([
    ["none without a cycle", "a>b,a>c,b>d,c>d", "", ""],
    ["to a node that dominates their source", "a>b,b>c,c!>a", "c>a", "abc@a"],
    ["of a node to itself", "a!>a", "a>a", "a@a"],
    ["outer loops first, inner ones inside", "a>b,b>c,c!>b,c+>d,d!>a", "c>b d>a", "abcd@a bc@b"],
    ["the failure edges, where nothing dominates", "s>l,s>t,l!>f,t!>f,f>l,f>t", "l>f t>f", "flt@f"],
    ["the edges to nodes entered from outside, where no edge is a failure's", "s>x,s>y,x+>y,y+>x", "x>y y>x", "xy@xy"],
    ["two loops with one head", "a>b,a>c,b!>a,c!>a", "b>a c>a", "abc@a"],
  ])("%s", (_, edges, arcs, loops) => {
    expect(loopsOf(edges)).toEqual([arcs, loops]);
  });

  test("the body leaves out what does not lead back", () => {
    expect(loopsOf("a>b,a>x,b!>a,x>y")[1]).toBe("ab@a");
  });

  test("the order of the document changes nothing", () => {
    const [first = ["a", null, "b"], ...rest]: Arrow[] = arrows("a>b,b>c,c!>b,c+>d,d!>a,d+>e,e!>c");
    expect(loopsOf([first, ...rest.reverse()])).toEqual(["c>b d>a e>c", "abcde@a bcde@b cde@c"]);
  });

  test("loops nested deeper than the limit are named, not taken apart", () => {
    const nest = (depth: number): Arrow[] => {
      const ids = Array.from({ length: depth * 2 }, (_, index) => `n${String(index).padStart(4, "0")}`);
      const line = ids.slice(1).map((to, index): Arrow => [ids[index] ?? "", "success", to]);
      const back = ids.slice(0, depth).map((to, index): Arrow => [ids[depth * 2 - 1 - index] ?? "", "failure", to]);
      return [...line, ...back];
    };
    expect(planOf(nest(limits.loopNestingLevels)).tooDeep).toBeNull();
    const deep = planOf(nest(limits.loopNestingLevels + 1));
    expect(deep.ids[deep.tooDeep ?? -1]).toMatch(/^n\d{4}$/);
    expect(deep.loops).toHaveLength(limits.loopNestingLevels);
  });
});
