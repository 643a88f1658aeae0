import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

/** Files of the repository that git knows or would add, by their path from the root; gone ones left out. */
export function repositoryFiles(...patterns: string[]): string[] {
  const arguments_ = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = execFileSync("git", arguments_, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(listed.split("\0"))].filter((file) => file !== "" && existsSync(join(root, file))).sort();
}

export function readRepositoryFile(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Every source file but the tests → its text. */
export function sources(): ReadonlyMap<string, string> {
  const files = repositoryFiles("src/*.ts").filter((file) => !file.endsWith(".test.ts"));
  return new Map(files.map((file) => [file, readRepositoryFile(file)]));
}
