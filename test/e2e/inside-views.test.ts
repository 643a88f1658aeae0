import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { Place, start, trammel } from "./support/cli.ts";

function items(count: number, parallel: number, run: string): string {
  const list = JSON.stringify(Array.from({ length: count }, (_, i) => i));
  return `name: many
nodes:
  list: {type: script, run: "echo '${list}'", output: json}
  each: {type: map, over: "{list}", parallel: ${parallel}, do: {entry: work, nodes: {work: {type: script, run: '${run}', env: {N: "{item}"}}}}}
edges: [{from: list, when: success, to: each}]
`;
}

it("a terminal shows what goes on inside indented, some of it where there is much, and leaves the node itself", async () => {
  using place = new Place();
  place.file("b.yaml", items(24, 12, "echo item $N; [ $N -lt 3 ] || until [ -e go ]; do sleep 0.1; done"));
  const running = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
  const shown = () => stripVTControlCharacters(running.stdout);
  await expect.poll(shown).toMatch(/▸ ▣ each .*\r?\n *▸ ■ {3}\[\d+\]\/work +[\d.]+s +item \d+/);
  await expect.poll(shown).toMatch(/… \d+ more/);
  await expect.poll(shown).toMatch(/▣ each .* 3 done/);
  place.file("go", "");
  expect((await running.end).code).toBe(0);
  const text = shown();
  const [last] = text
    .split("\n")
    .slice(-4)
    .filter((line) => line.includes("each"));
  expect(last).toMatch(/✓ ▣ each/);
  expect(text.slice(text.lastIndexOf("✓ ▣ each"))).not.toContain("/work");
});

it("a plain view tells the first items whole, and of later ones what fails", async () => {
  using place = new Place();
  place.file("b.yaml", items(25, 1, "test $N -ne 24"));
  const { code, stderr } = await trammel(["run", "t", "-b", "b.yaml", "--plain"], { place });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^ *[\d.]+s {4}each\[19\]\/work success$/m);
  expect(stderr).not.toContain("each[20]/work");
  expect(stderr.match(/of later items of each only what fails or asks is told/g)).toHaveLength(1);
  expect(stderr).toMatch(/^ *[\d.]+s {4}each\[24\]\/work failure: exit code 1$/m);
  expect(stderr.split("\n").length).toBeLessThan(60);
});
