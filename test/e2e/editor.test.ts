import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { readRepositoryFile, repositoryFiles } from "../../scripts/files.ts";
import { readPage } from "../../scripts/markdown.ts";
import { Place, root, trammel } from "./support/cli.ts";
import { LanguageServer } from "./support/language-server.ts";

const addressOf = (what: string): string => pathToFileURL(join(root, `schema/${what}.schema.json`)).href;
const forAll = { [addressOf("blueprint")]: ["*.yaml", "!*.test.yaml"], [addressOf("test")]: "*.test.yaml" };

it("prints the schemas that editors use", async () => {
  using place = new Place();
  const { code, stdout } = await trammel(["schema"], { place });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: "Trammel blueprint", required: ["name"] });
  expect(await trammel(["schema", "blueprint"], { place })).toMatchObject({ code: 0, stdout });
  const config = await trammel(["schema", "config"], { place });
  expect(JSON.parse(config.stdout)).toMatchObject({ title: "Trammel configuration" });
  const tests = await trammel(["schema", "test"], { place });
  expect(JSON.parse(tests.stdout)).toMatchObject({ title: "Trammel blueprint tests", required: ["tests"] });
  const other = await trammel(["schema", "confg"], { place });
  expect(other).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("blueprint, config") });
});

it("an editor with the schema accepts every example", async () => {
  await using server = new LanguageServer(forAll);
  await server.start(root);
  for (const file of repositoryFiles("examples/*.yaml", "examples/**/*.yaml")) {
    const path = join(root, file);
    expect([file, ...(await server.open(path, readFileSync(path, "utf8")))]).toEqual([file]);
  }
});

it("an editor with the schema marks what is wrong, completes keys and explains them", async () => {
  using place = new Place();
  await using server = new LanguageServer(forAll);
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

const guide = readPage(readRepositoryFile("docs/guide/6-configuration.md")).blocks;

/** The settings that the guide gives for VS Code, whose `yaml.` keys are the server's own. */
function settingsOfGuide(): Record<string, string | string[]> {
  const block = guide.find(({ words }) => words.includes(".vscode/settings.json"));
  // As the guide writes it.
  const settings = JSON.parse(block?.text ?? "null") as { "yaml.schemas": Record<string, string | string[]> };
  return settings["yaml.schemas"];
}

async function withSchemas(place: Place): Promise<void> {
  for (const what of ["blueprint", "config", "test"]) {
    const { stdout } = await trammel(["schema", what], { place });
    place.file(`.trammel/${what}.schema.json`, stdout);
  }
}

it("the settings in the guide give each file its schema", async () => {
  using place = new Place();
  await withSchemas(place);
  await using server = new LanguageServer(settingsOfGuide());
  await server.start(place.folder);
  const open = (name: string, text: string) => server.open(place.path(name), text);
  expect(await open("trammel.yaml", "agent: { model: openai/x }\n")).toEqual([]);
  expect(await open("app/trammel.yaml", "agent: { modle: openai/x }\n")).toEqual([expect.stringContaining("modle")]);
  expect(await open(".trammel/blueprints/a.yaml", "name: a\nflow: lint\n")).toEqual([]);
  expect(await open(".trammel/blueprints/b.yaml", "name: b\nflwo: lint\n")).toContainEqual(
    expect.stringContaining("flwo"),
  );
  expect(await open(".trammel/blueprints/a.test.yaml", "tests: [{ name: a, expect: { exit: 0 } }]\n")).toEqual([]);
  expect(await open(".trammel/blueprints/b.test.yaml", "tsets: []\n")).toContainEqual(expect.stringContaining("tsets"));
  expect(await open("other.yaml", "modle: 1\nflwo: 1\n")).toEqual([]);
});

it("a first line that names the schema is enough", async () => {
  using place = new Place();
  await withSchemas(place);
  await using server = new LanguageServer({});
  await server.start(place.folder);
  const name = ".trammel/blueprints/lint.yaml";
  const text = guide.find(({ words }) => words.includes(name))?.text ?? "";
  expect(await server.open(place.path(name), text)).toEqual([]);
  expect(await server.open(place.path(`${name}.yaml`), `${text}\nflwo: 1\n`)).toEqual([
    expect.stringContaining("flwo"),
  ]);
  const line = /`(# yaml-language-server: [^`]*config[^`]*)`/.exec(
    readRepositoryFile("docs/guide/6-configuration.md"),
  )?.[1];
  const config = `${line}\nagnet: {}\n`;
  expect(await server.open(place.path("trammel.yaml"), config)).toEqual([expect.stringContaining("agnet")]);
});
