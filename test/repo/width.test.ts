import { expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "../../scripts/files.ts";

/** The formatter breaks code, and leaves comments as they are. */
const width = 120;

test("comments are as narrow as code", () => {
  const files = repositoryFiles("src/*.ts", "test/*.ts", "scripts/*.ts", "bench/*.ts");
  const wide = files.flatMap((file) =>
    readRepositoryFile(file)
      .split("\n")
      .flatMap((line, i) => (line.length > width && isComment(line) ? [`${file}:${i + 1}`] : [])),
  );
  expect(files.length).toBeGreaterThan(1_000);
  expect(wide).toEqual([]);
});

function isComment(line: string): boolean {
  return /^\s*(?:\*|\/\*)|(?:^|[\s;{])\/\/ /.test(line);
}
