import { expect, test } from "vitest";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { DefinitionOf } from "../../src/cli/store/replayed.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import { chainOf } from "../runs/blueprints.ts";
import { handle, request, success, World } from "../runs/harness.ts";
import { differenceIn, unlikeReplay } from "./replayed.ts";

function as(of: Blueprint): () => DefinitionOf {
  return () => () => Promise.resolve(of);
}

/** A run of three nodes, as its journal has it. */
async function recorded() {
  const world = new World();
  const of = chainOf(["a", "b", "c"]);
  const run = handle(await world.engine({ "*": () => success }).start(request(of), world.observer));
  await run.end;
  return { world, of, run: run.run, events: world.seen };
}

test("a journal is what replaying it gives, and no other is: a changed outcome, a lost event, a decision too many", async () => {
  const { world, of, events } = await recorded();
  expect(differenceIn(of, events)).toBeNull();
  const failed = events.map((event) =>
    event.body.type === "node.ended" && event.body.node === "b"
      ? { ...event, body: { ...event.body, result: { outcome: "failure" } as const } }
      : event,
  );
  expect(differenceIn(of, failed)).toMatch(/^event \d+ is .*, not /);
  expect(
    differenceIn(
      of,
      events.filter(({ body }) => body.type !== "node.ended" || body.node !== "b"),
    ),
  ).not.toBeNull();
  expect(differenceIn(of, [...events, ...events.slice(-1)])).not.toBeNull();
  await world.remove();
});

test("every run of a store is looked at; one that another blueprint would have decided is named", async () => {
  const { world, of, run } = await recorded();
  expect(await unlikeReplay(world.home, as(of))).toEqual([]);
  expect(await unlikeReplay(world.home, as(chainOf(["a", "c"])))).toEqual([expect.stringContaining(run)]);
  // A store that cannot be read is nothing to replay.
  const db = new DatabaseSync(join(world.home, "trammel.db"));
  db.exec("UPDATE journal SET hash = zeroblob(32)");
  db.close();
  expect(await unlikeReplay(world.home, as(of))).toEqual([]);
  await world.remove();
});
