import { expect, it } from "vitest";
import { finished, newRun, started, StoreFixture } from "../../src/hosts/embedded/testing.ts";
import { self } from "../../src/runtime/processes/identity.ts";
import { Place, start } from "./support/cli.ts";

it("a stop that comes too late stops nothing, and says how the run has ended", async () => {
  using place = new Place();
  const store = new StoreFixture();
  const journal = store.open(1, { self: self() });
  await journal.create(newRun("r1", { owner: self() }), "{}", [started("a")], 1);
  const asked = new Promise<void>((resolve) => {
    journal.listen(
      "r1",
      () => resolve(),
      () => undefined,
    );
  });
  const stopping = start(["stop", "r1"], { place, env: { TRAMMEL_HOME: store.home } });
  await asked;
  await journal.append("r1", [finished()], 2, []);
  expect(await stopping.end).toMatchObject({ code: 2, stderr: "trammel: run r1 is over: succeeded\n" });
  await store.remove();
});
