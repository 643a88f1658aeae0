import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { repositoryFiles } from "../../scripts/files.ts";
import { Place, root } from "./support/cli.ts";
import { LanguageServer } from "./support/language-server.ts";

const schema = join(root, "schema/blueprint.schema.json");

it("an editor with the schema accepts every example", async () => {
  await using server = new LanguageServer(schema, "*.yaml");
  await server.start(root);
  for (const file of repositoryFiles("examples/*.yaml", "examples/**/*.yaml")) {
    const path = join(root, file);
    expect([file, ...(await server.open(path, readFileSync(path, "utf8")))]).toEqual([file]);
  }
});

it("an editor with the schema marks what is wrong, completes keys and explains them", async () => {
  using place = new Place();
  await using server = new LanguageServer(schema, "*.yaml");
  await server.start(place.folder);
  const lines = [
    "name: t",
    "nodes:",
    "  a:",
    "    type: script",
    "    run: npm test",
    "    tiemout: 5m",
    "    ",
    "edges: []",
    "",
  ];
  const file = place.path("b.yaml");
  expect(await server.open(file, lines.join("\n"))).toEqual([expect.stringContaining("tiemout")]);
  const textDocument = { uri: pathToFileURL(file).href };
  const completion = await server.ask("textDocument/completion", { textDocument, position: { line: 6, character: 4 } });
  expect(completion).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ label: "timeout" })]) });
  const hover = await server.ask("textDocument/hover", { textDocument, position: { line: 4, character: 5 } });
  expect(JSON.stringify(hover)).toContain("Shell command");
});
