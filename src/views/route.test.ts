import { expect, test } from "vitest";
import { stage } from "../../test/properties/play.ts";
import { routeOf, routeText } from "./route.ts";

test("the way of a run is one start a line, with what it does not reach", () => {
  const nodes = { f: { type: "agent" }, g: { type: "human" } } as const;
  const route = routeOf(stage("a+>b,a+>g,b!>f,f>b,b+>d,g+>d", { nodes }), {});
  expect(routeText("x.yaml", route)).toBe(
    "x.yaml, if every node succeeds: succeeded\n" +
      "  1  ■ a\n" +
      "  2  ■ b\n" +
      "  2  ● g\n" +
      "  3  ■ d\n" +
      "  not reached: f\n",
  );
});

test("expect: failure takes the way it wants, options the first, and a loop without a way out its limit", () => {
  const expecting = stage("a+>b,a!>c", { nodes: { a: { expect: "failure" } } });
  expect(routeOf(expecting, {}).starts.map(({ node }) => node)).toEqual(["a", "b"]);
  const edges = [
    { from: "a", when: "no", to: "b" },
    { from: "a", when: "yes", to: "c" },
  ];
  const choosing = stage(edges, { nodes: { a: { type: "agent", options: ["yes", "no"] } } });
  expect(routeOf(choosing, {}).starts.map(({ node }) => node)).toEqual(["a", "c"]);
  const round = routeOf(stage("a>b,b>a"), { maxSteps: 3 });
  expect(routeText("r", round)).toBe(
    "r, if every node succeeds: limit: b: --max-steps is 3, and b would be start 4\n  1  ■ a\n  2  ■ b\n  3  ■ a (pass 2)\n",
  );
});

test("a loop that nothing ends is told as one", () => {
  const endless = routeOf(stage("a>a", { settings: { limits: { steps: 1_000_000 } } }), {});
  expect(endless.status).toBeNull();
  expect(routeText("e", endless)).toMatch(/^e, if every node succeeds: no end in sight\n/);
});
