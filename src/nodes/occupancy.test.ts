import { expect, test } from "vitest";
import { Occupancy } from "./occupancy.ts";

test("one is alone while nobody else comes, in a tree of its own and after others have left", () => {
  const trees = new Occupancy();
  const [a, elsewhere] = [trees.enter("/a"), trees.enter("/b")];
  expect([a.isAlone, elsewhere.isAlone]).toEqual([true, true]);
  a.leave();
  expect(trees.enter("/a").isAlone).toBe(true);
});

test("all who were there at the same time were not alone, and stay so after the others have left", () => {
  const trees = new Occupancy();
  const first = trees.enter("/a");
  const second = trees.enter("/a");
  first.leave();
  const third = trees.enter("/a");
  expect([first, second, third].map((one) => one.isAlone)).toEqual([false, false, false]);
  second.leave();
  third.leave();
  expect(trees.enter("/a").isAlone).toBe(true);
});
