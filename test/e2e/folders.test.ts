import { symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { Place, type StartOptions, trammel } from "./support/cli.ts";

const checked = (args: readonly string[], options: StartOptions) => trammel(["check", ...args], options);

it("passes over no blueprint of a folder, however its keys are written, and none of the project's", async () => {
  using place = new Place();
  place.file("flows/quoted.yaml", `"name": a\n"nodes":\n  a: {type: scritp}\n`);
  place.file("flows/braces.yaml", `{name: b, nodes: {a: {type: scritp}}}\n`);
  place.file("flows/json.yaml", `{"name": "c", "nodes": {"a": {"type": "scritp"}}}\n`);
  symlinkSync(place.file("elsewhere.txt", `name: d\nnodes:\n  a: {type: scritp}\n`), `${place.folder}/flows/link.yaml`);
  symlinkSync("nowhere", `${place.folder}/flows/dangling.yaml`);
  const files = ({ stdout }: { readonly stdout: string }): readonly string[] =>
    (stdout.match(/^\S+?(?=:\d+:\d+: .*`scritp`)/gm) ?? []).toSorted();
  const names = ["braces", "json", "link", "quoted"].map((name) => `flows/${name}.yaml`);
  expect(files(await checked(["flows"], { place }))).toEqual(names);
  place.file(".trammel/blueprints/empty.yaml", "name: empty\nnode: {}\n");
  expect(await checked([], { place })).toMatchObject({ code: 2, stdout: expect.stringContaining("`nodes`") });
});
