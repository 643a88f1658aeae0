import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { restorePaths } from "./restore.ts";

test("where Git can neither write all of it nor say what it wrote, any of it may be as it was", async () => {
  const place = mkdtempSync(join(tmpdir(), "trammel-restore-"));
  const [root, bin] = [join(place, "project"), join(place, "bin")];
  for (const folder of [root, bin]) mkdirSync(folder);
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  git("init", "-q");
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), "one\n");
  git("add", ".");
  const tree = git("write-tree");
  for (const name of ["a", "b"]) writeFileSync(join(root, name), "two\n");
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const broken = `case " $* " in *" checkout-index "*) '${real}' "$@"; exit 1 ;; *" diff-files "*) exit 1 ;; esac`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${broken}\nexec '${real}' "$@"\n`, { mode: 0o755 });
  const own = { cwd: root, env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` } };
  const restoring = {
    root,
    own,
    index: join(place, "index"),
    tree,
    since: null,
    modes: { usual: null, others: new Map() },
  };
  expect(await restorePaths(restoring, ["a", "b"])).toEqual(["a", "b"]);
  expect(readFileSync(join(root, "a"), "utf8")).toBe("one\n");
  rmSync(place, { recursive: true });
});
