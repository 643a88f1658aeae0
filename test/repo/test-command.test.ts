import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles, root } from "../../scripts/files.ts";
import configuration from "../../vitest.config.ts";
import { leftOut } from "../../scripts/test.ts";
import type { Report } from "../../scripts/test.ts";

test("a test that did not run is found in the report of a real run", () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-left-out-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "test"));
  const cases = [
    `test("runs", () => {});`,
    `test.skip("skipped", () => {});`,
    `test.skipIf(true)("hidden", () => {});`,
    `test.todo("later");`,
  ];
  writeFileSync(join(folder, "test/some.test.js"), `import { test } from "vitest";\n${cases.join("\n")}\n`);
  const { status } = spawnSync("vitest", ["run", "--reporter=json", "--outputFile=report.json"], { cwd: folder });
  const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Report;
  rmSync(folder, { recursive: true });
  expect(status).toBe(0);
  expect(leftOut(report).map((line) => line.split(": ")[1])).toEqual(["skipped", "hidden", "later"]);
});

test("every test file belongs to exactly one suite", () => {
  const listed = spawnSync("vitest", ["list", "--filesOnly", "--json"], { cwd: root, encoding: "utf8" });
  const files = (JSON.parse(listed.stdout) as { file: string }[]).map(({ file }) => file.replace(`${root}/`, ""));
  const all = repositoryFiles("*.test.ts").filter((file) => !file.startsWith("examples/"));
  expect(files.sort()).toEqual(all);
});

test("AGENTS.md names every suite", () => {
  const projects = configuration.test?.projects ?? [];
  const names = projects.flatMap((project) =>
    typeof project === "object" && "test" in project && typeof project.test?.name === "string"
      ? [project.test.name]
      : [],
  );
  expect(names.length).toBeGreaterThan(8);
  const row = readRepositoryFile("AGENTS.md")
    .split("\n")
    .find((line) => line.includes("--project unit"));
  expect(names.filter((name) => row?.includes(`\`${name}\``) !== true)).toEqual([]);
});

test("a clean clone is judged by npm ci and npm test", () => {
  expect(readRepositoryFile(".ci/run")).toMatch(/^export CI=true$[^]*^npm ci\nnpm test$/m);
});
