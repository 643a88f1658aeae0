import { expect, test } from "vitest";
import { documentFiles, pageProblems, repositorySurroundings } from "../../scripts/check-docs.ts";
import { readRepositoryFile } from "../../scripts/files.ts";
import { readPage } from "../../scripts/markdown.ts";

const other = readPage("# Some `code` here\n\n## Twice\n\n## Twice\n");
const around = {
  exists: (path: string): boolean => ["docs/page.md", "docs/other.md", "src/model/"].includes(path),
  page: (path: string) => (path === "docs/other.md" ? other : null),
  npmScripts: new Set(["verify"]),
};
const problemsOf = (markdown: string): string[] => pageProblems("docs/page.md", readPage(markdown), around);

test("a page of good links, paths and scripts has no problem", () => {
  const good =
    "[a](other.md#some-code-here) [b](./other.md#twice-1) [c](https://example.com/x) `src/model/` `npm run verify`";
  expect(problemsOf(good)).toEqual([]);
});

test.each([
  ["[a](gone.md)", "docs/page.md:3: link to docs/gone.md, which does not exist"],
  [
    "- item\n- [a](other.md#nowhere)",
    "docs/page.md:3: link to other.md#nowhere, but docs/other.md has no such heading",
  ],
  ["![picture](../gone.svg)", "docs/page.md:3: link to gone.svg, which does not exist"],
  ["see `src/gone.ts`", "docs/page.md:3: names src/gone.ts, which does not exist"],
  ["run `npm run gone`", "docs/page.md:3: npm run gone is no script of package.json"],
  ["```sh\nnpm run gone\n```", "docs/page.md:3: npm run gone is no script of package.json"],
])("%s is reported", (fault, problem) => {
  expect(problemsOf(`# Title\n\n${fault}\n`)).toEqual([problem]);
});

test("code blocks keep their language, words and line", () => {
  const { blocks } = readPage("text\n\n```yaml fix.yaml\na: 1\n```\n\n```sh exit=3\ntrue\n```\n");
  expect(blocks).toEqual([
    { language: "yaml", words: ["fix.yaml"], text: "a: 1", line: 3 },
    { language: "sh", words: ["exit=3"], text: "true", line: 7 },
  ]);
});

test("the pages of this repository have no problem", () => {
  const surroundings = repositorySurroundings();
  const files = documentFiles();
  expect(files).toContain("ARCHITECTURE.md");
  expect(files.flatMap((file) => pageProblems(file, readPage(readRepositoryFile(file)), surroundings))).toEqual([]);
});

test("decisions are numbered in order, each with its context, decision and reason", () => {
  const files = documentFiles().filter((file) => /^docs\/decisions\/\d/.test(file));
  files.forEach((file, index) => {
    const number = index + 1;
    expect(file).toMatch(new RegExp(`^docs/decisions/${String(number).padStart(4, "0")}-[a-z0-9-]+\\.md$`));
    expect(readRepositoryFile(file)).toMatch(
      new RegExp(
        `^# ${number}\\. .+\n\n\\*\\*Context\\.\\*\\*\\s[^]+\n\n\\*\\*Decision\\.\\*\\*\\s[^]+\n\n\\*\\*Reason\\.\\*\\*\\s`,
      ),
    );
  });
  expect(files.length).toBeGreaterThan(0);
});

test("README leads to every page of the guide, and the chapters to each other", () => {
  const chapters = documentFiles()
    .filter((file) => file.startsWith("docs/guide/"))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const linked = (file: string): string[] => readPage(readRepositoryFile(file)).links.map(({ text }) => text);
  expect(chapters.filter((file) => !linked("README.md").includes(file))).toEqual([]);
  chapters.slice(0, -1).forEach((file, index) => {
    const next = chapters[index + 1]?.replace("docs/guide/", "");
    expect({ file, links: linked(file) }).toEqual({ file, links: expect.arrayContaining([next]) });
  });
});
