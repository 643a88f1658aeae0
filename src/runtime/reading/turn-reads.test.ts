import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ReadScope } from "../../model/settings.ts";
import type { AgentEvent } from "../../model/agent-event.ts";
import { limits } from "../../model/limits.ts";
import { scopeOf } from "./scope.ts";
import { TurnReads } from "./turn-reads.ts";

let root: string;
let told: AgentEvent[];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "trammel-reads-")));
  told = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const reads = (scope: ReadScope | null, boxed = false): TurnReads =>
  new TurnReads({
    root,
    scope: scope === null ? null : scopeOf(scope, root, process.env),
    boxed,
    report: (event) => told.push(event),
  });

async function put(path: string, text = path): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

describe("what may be read", () => {
  const files = ["src/a.ts", "notes.md", "new.md", "build/a.js", ".env", "/etc/hostname", ".git/config"];

  test("of the repository is what git tracks or would track", async () => {
    for (const path of files.filter((one) => one.startsWith("/") === false && one !== ".git/config")) await put(path);
    await put(".gitignore", "build/\n.env\n");
    execFileSync("git", ["init", "-q"], { cwd: root });
    execFileSync("git", ["add", "src", "notes.md"], { cwd: root });
    expect([...(await reads("repository").among(files))]).toEqual(["src/a.ts", "notes.md", "new.md"]);
    for (const path of files)
      expect((await reads("repository").among([path])).has(path)).toBe(/^(src|notes|new)/.test(path));
  });

  test("of a repository that git cannot read is nothing, and whatever is read of it all the same is told", async () => {
    for (const path of ["notes.md", ".env"]) await put(path);
    await put(".gitignore", ".env\n");
    execFileSync("git", ["init", "-q"], { cwd: root });
    await put(".git/index", "no index");
    const own = reads("repository");
    await expect(own.among([".env"])).rejects.toThrow(/^what may be read here cannot be told: .*index/);
    await expect(own.among(["notes.md", ".env"])).rejects.toThrow("cannot be told");
    own.claimed(".env");
    own.claimed("notes.md");
    expect(await own.settled()).toEqual([".env", "notes.md"]);
  });

  test("without a repository leaves out what packages bring along", async () => {
    const some = ["a.md", "node_modules/x/index.js", "/etc/hostname"];
    expect([...(await reads("repository").among(some))]).toEqual(["a.md"]);
  });

  test("by globs is what they name, and what the agent made itself", async () => {
    const own = reads(["src/**", "*.md"]);
    expect([...(await own.among(files))]).toEqual(["src/a.ts", "notes.md", "new.md"]);
    own.made("made.txt");
    expect((await own.among(["made.txt", "other.txt"])).has("made.txt")).toBe(true);
  });

  test("is everything where nothing is said", async () => {
    expect([...(await reads(null).among(files))]).toEqual(files);
    expect(reads(null).limited).toBe(false);
  });
});

describe("what an agent says it read", () => {
  test("is looked at: its content by digest, what is outside of the scope as drift, links by where they lead", async () => {
    await put("src/a.ts");
    await put("secret.txt");
    await symlink("../secret.txt", join(root, "src", "innocent.ts"));
    const own = reads(["src/**"]);
    for (const path of ["src/a.ts", join(root, "src/a.ts"), "src/innocent.ts", "src", "gone"]) own.claimed(path);
    expect(await own.settled()).toEqual(["secret.txt"]);
    const digest = (text: string): string => hash("sha256", text, "hex");
    expect(told).toEqual([
      { type: "read", path: "src/a.ts", digest: digest("src/a.ts"), how: "read" },
      { type: "read", path: "secret.txt", digest: digest("secret.txt"), how: "outside" },
    ]);
  });

  test("in a box is taken by name alone", async () => {
    const own = reads(["src/**"], true);
    for (const path of [join(root, "src/a.ts"), "docs/a.md"]) own.claimed(path);
    expect(await own.settled()).toEqual(["docs/a.md"]);
  });
});

test("more reads than are kept are one more, each told once", () => {
  const own = reads(null);
  for (let round = 0; round < 2; round += 1)
    for (let n = 0; n < limits.readsPerAttempt + 5; n += 1) own.gave(`${n}`, "same");
  expect(told).toHaveLength(limits.readsPerAttempt + 1);
});
