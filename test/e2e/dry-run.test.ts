import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { routeShape } from "../../src/wire/route.ts";
import { Place, trammel } from "./support/cli.ts";

const blueprint = `name: mending
flow: first -> check -> [mend] -> last
nodes:
  first: {type: script, run: touch ran}
  check: {type: script, run: touch ran}
  mend: {type: agent, prompt: Mend it}
  last: {type: script, run: touch ran}
`;

it("prints the way of a run and runs nothing", async () => {
  using place = new Place();
  place.file("b.yaml", blueprint);
  const { code, stdout } = await trammel(["run", "t", "-b", "b.yaml", "--dry-run"], { place });
  expect(code).toBe(0);
  expect(stdout).toBe(
    "b.yaml, if every node succeeds: succeeded\n  1  ■ first\n  2  ■ check\n  3  ■ last\n  not reached: mend\n",
  );
  expect([existsSync(place.path("ran")), existsSync(place.home)]).toEqual([false, false]);
});

it("gives the same as JSON", async () => {
  using place = new Place();
  place.file("b.yaml", blueprint);
  const { stdout } = await trammel(["run", "t", "-b", "b.yaml", "--dry-run", "--json"], { place });
  expect(routeShape.parse(JSON.parse(stdout))).toMatchObject({ notReached: ["mend"], status: "succeeded" });
});
