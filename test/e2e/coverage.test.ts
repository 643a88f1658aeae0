import { expect, it } from "vitest";
import { Place, trammel } from "./support/cli.ts";

it("counts what stands in maps, and what is called where a test goes into it", async () => {
  using place = new Place();
  place.file(
    "inner.yaml",
    "name: inner\nentry: a\nnodes:\n  a: {type: script, run: 'true', next: {failure: b}}\n  b: {type: script, run: 'true'}\n",
  );
  place.file(
    "outer.yaml",
    `name: outer
entry: list
nodes:
  list: {type: script, run: 'true', output: json}
  each:
    type: map
    over: "{list}"
    do: {entry: x, nodes: {x: {type: script, run: 'true', next: {success: y}}, y: {type: script, run: 'true'}}}
  sub: {type: call, blueprint: ./inner.yaml}
edges: [{from: list, when: success, to: each}, {from: each, when: success, to: sub}]
`,
  );
  const said = (name: string, sub: string): string =>
    `  - name: ${name}\n    nodes: {list: {value: [1, 2]}, each/x: success, each/y: success, ${sub}}\n    expect: {outcome: succeeded}\n`;
  const line = /^outer\.yaml +(\d+\/\d+) +(\d+\/\d+) +(\d+) %$/m;
  place.file("outer.test.yaml", `tests:\n${said("the call as a whole", "sub: success")}`);
  const whole = await trammel(["test", "outer.yaml", "--coverage"], { place });
  expect(line.exec(whole.stdout)?.slice(1)).toEqual(["5/5", "3/3", "100"]);
  place.file("outer.test.yaml", `tests:\n${said("into the call", "sub/a: success")}`);
  const into = await trammel(["test", "outer.yaml", "--coverage"], { place });
  expect(line.exec(into.stdout)?.slice(1)).toEqual(["6/7", "3/4", "81"]);
  expect(into.stdout).toContain("  outer.yaml:9:3: sub/a failure → b is never walked\n");
  expect(into.stdout).toContain("  outer.yaml: sub/b never starts\n");
  place.file(
    "outer.test.yaml",
    `tests:\n  - {name: the map as a whole, nodes: {list: {value: []}, each: success, sub: success}, expect: {outcome: succeeded}}\n`,
  );
  const map = await trammel(["test", "outer.yaml", "--coverage"], { place });
  expect(line.exec(map.stdout)?.slice(1)).toEqual(["3/5", "2/3", "62"]);
});
