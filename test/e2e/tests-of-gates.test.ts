import { expect, it } from "vitest";
import { Place, trammel } from "./support/cli.ts";

it("plays an approval that is asked again, each time with its own answer", async () => {
  using place = new Place();
  place.file(
    "ship.yaml",
    `name: ship
entry: begin
nodes:
  begin: { type: wait, for: 1s }
  ok: { type: human, mode: approval, prompt: Ship it? }
  late: { type: wait, for: 1h }
  touch: { type: script, run: touch code.txt }
  ship: { type: script, run: git push }
edges:
  - { from: begin, to: [ok, late] }
  - { from: late, to: touch }
  - { from: [ok, touch], when: success, to: ship }
`,
  );
  const test = (name: string, review: string, route: string) => `  - name: ${name}
    git: true
    files: { code.txt: "one\\n" }
    nodes: { ok: ${review}, touch: { files: { code.txt: "two\\n" } }, ship: success }
    expect: { route: [begin, ok success, late, touch, ship ${route}] }
`;
  const tests = [
    test("yes and yes", "{answers: [yes, yes]}", "success"),
    test("yes each time", "yes", "success"),
    test("yes and then no", "{answers: [yes, no], by: ann}", "failure"),
  ];
  place.file("ship.test.yaml", `tests:\n${tests.join("")}`);
  const { code, stdout } = await trammel(["test"], { place });
  expect([code, stdout]).toEqual([0, expect.stringContaining("3 passed")]);
  place.file("ship.test.yaml", `tests:\n${test("no", "{answers: [yes, maybe]}", "failure")}`);
  const refused = await trammel(["test"], { place });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("answered with yes or no") });
});
