import { afterEach, beforeEach, expect, test } from "vitest";
import type { Journal } from "../../src/ports/journal.ts";
import { self } from "../../src/runtime/processes/identity.ts";
import { chainOf } from "./blueprints.ts";
import { journalWith, request, success, World, type Act } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** A journal whose commits of telemetry alone come back only after one that follows them. */
function lateTelling(journal: Journal): { readonly journal: Journal; readonly late: () => number } {
  const waiting: (() => void)[] = [];
  let late = 0;
  const append: Journal["append"] = async (run, events, ...more) => {
    const answer = await journal.append(run, events, ...more);
    if (events.every(({ type }) => type === "node.process")) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      late += 1;
    } else setImmediate(() => waiting.splice(0).forEach((resolve) => resolve()));
    return answer;
  };
  return { journal: journalWith(journal, { append }), late: () => late };
}

test("events are told in the order of the journal, whichever commit comes back first", async () => {
  const { journal, late } = lateTelling(world.journal());
  const telling: Act = (context) => {
    context.report({ kind: "process", process: self() });
    return success;
  };
  const of = chainOf(["a", "b", "c"]);
  const { run, status } = await world.toEnd(request(of), { "*": telling }, 1, journal);
  expect([status, late()]).toEqual(["succeeded", 3]);
  expect(world.seen).toEqual([...world.journal(9).read(run)]);
});
