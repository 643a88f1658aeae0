import { expect, it } from "vitest";
import { Place, trammel } from "./support/cli.ts";

const mending = (mend: string): string => `name: mending
nodes:
  test:
    type: script
    run: 'echo "$(wc -l < todo) left"; test ! -s todo'
    progress: wc -l < todo
    next: {success: END, failure: mend}
  mend: {type: script, run: '${mend}', next: test}
entry: test
`;

it("a loop goes on while there is less to do, up to success", async () => {
  using place = new Place();
  place.file("todo", "1\n2\n3\n");
  place.file("b.yaml", mending("sed -i 1d todo"));
  expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).code).toBe(0);
});

it("a loop that makes no progress escalates, with the failure as evidence", async () => {
  using place = new Place();
  place.file("todo", "1\n2\n3\n");
  place.file("b.yaml", mending("true"));
  const { code, stdout } = await trammel(["run", "t", "-b", "b.yaml"], { place });
  expect(code).toBe(3);
  expect(stdout).toContain("node: test\niteration: 1/1\nreason: made no progress: 3 before, 3 now\nevidence: 3 left\n");
});
