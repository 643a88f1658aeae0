import { expect, it } from "vitest";
import { lastLine, Place, trammel } from "./support/cli.ts";

it("settles a run whose next gate waits then: nobody is asked, and the run is not failed for it", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: settled
entry: a
nodes:
  a: {type: script, run: "kill -9 $PPID", next: ask}
  ask: {type: human, mode: approval, prompt: "Ship it?", next: {success: b, failure: END}}
  b: {type: script, run: echo b > done}
`,
  );
  await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  const { runs } = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as { runs: { run: string }[] };
  const run = runs[0]?.run ?? "";
  expect((await trammel(["resume", run, "--detach"], { place })).code).toBe(3);
  const settled = await trammel(["settle", run, "a", "--as", "done", "--detach", "--json"], { place });
  expect(settled.code).toBe(5);
  expect(lastLine(settled)).toMatchObject({ status: "waiting" });
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
});
