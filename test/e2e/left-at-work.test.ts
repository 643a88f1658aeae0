import { expect, it } from "vitest";
import { countOf, nap } from "../support/naps.ts";
import { Place, start, type Running } from "./support/cli.ts";

let left: Running;

it("a test may end while a run of it is at work", async () => {
  using place = new Place();
  place.file("b.yaml", `name: b\nnodes:\n  a: {type: script, run: "setsid sleep ${nap("40721")} & wait"}\n`);
  left = start(["run", "t", "-b", "b.yaml", "--json"], { place });
  await expect.poll(() => countOf("40721")).toBe(1);
});

it("which is over before the next one begins, with all that it had started", () => {
  expect([left.child.exitCode, countOf("40721")]).toEqual([130, 0]);
});
