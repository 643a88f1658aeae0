import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { Place, start, trammel } from "./support/cli.ts";

it("a gate at the terminal of somebody whom its approvers leave out waits for one of them", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: guarded
entry: law
nodes:
  law: {type: human, mode: approval, prompt: "Ship it?", approvers: [daemon]}
  ship: {type: script, run: echo shipped > shipped}
edges: [{from: law, when: success, to: ship}]
`,
  );
  const run = start(["run", "-b", "b.yaml"], { place, terminal: true });
  await run.until(/daemon may answer, and nobody else/);
  run.type("y\r");
  const id = /run (\w+) waits for it/.exec(run.stdout)?.[1] ?? "";
  const answered = await trammel(["answer", id, "law", "yes"], { place });
  expect([answered.code, answered.stderr]).toEqual([2, expect.stringContaining("may not answer law")]);
  expect((await trammel(["inbox"], { place })).stdout).toContain(`trammel answer ${id} law yes|no`);
  expect((await trammel(["stop", id], { place })).code).toBe(0);
  expect((await run.end).code).not.toBe(1);
  expect(existsSync(place.path("shipped"))).toBe(false);
});
