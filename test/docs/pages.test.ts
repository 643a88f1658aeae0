import { expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "../../scripts/files.ts";
import { readPage } from "../../scripts/markdown.ts";
import { withModel } from "./model.ts";
import { matchesShown, runPage } from "./page-run.ts";

/** The suite that this very test is a part of. */
const testCommand = "npm ci && npm test";

const pages = ["README.md", ...repositoryFiles("docs/guide/*.md")]
  .map((file) => ({
    file,
    blocks: readPage(readRepositoryFile(file)).blocks.filter(({ text }) => text !== testCommand),
  }))
  .filter(({ blocks }) => blocks.some(({ language }) => language === "sh"));

test.each(pages)("every command of $file does what the page says", async ({ file, blocks }) => {
  for (const { line, exit, expectedExit, output, shown } of await withModel(file, blocks, (followed) =>
    runPage(followed),
  )) {
    expect({ line, exit, output }).toEqual({ line, exit: expectedExit, output });
    const asShown = shown === null || matchesShown(output, shown) ? shown : output;
    expect({ line, output: asShown }).toEqual({ line, output: shown });
  }
});

test("README and guide have commands to run", () => {
  expect(pages.map(({ file }) => file)).toContain("README.md");
  expect(pages.length).toBeGreaterThan(1);
});
