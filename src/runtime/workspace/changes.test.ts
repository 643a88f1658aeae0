import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { undo } from "./changes.ts";
import { refs } from "./refs.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots } from "./snapshots.ts";

test("an undo leaves what others changed last while nothing of the run was at work, unless it is to take it, too", async () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-changes-")));
  const root = join(place, "project");
  mkdirSync(root);
  execFileSync("git", ["init", "-q"], { cwd: root });
  const repository = await repositoryOf(root, process.env);
  if (repository === null) throw new Error("no repository");
  const snapshots = await openSnapshots(repository, join(place, "trees"), process.env);
  await snapshots.keep(refs.start("r"), await snapshots.take());
  const written = (name: string): number => {
    writeFileSync(join(root, name), "");
    return lstatSync(join(root, name)).ctimeMs;
  };
  const from = written("run.txt");
  let by = from;
  while (by <= from) by = written("mine.txt");
  const end = await snapshots.take();
  // Its end is well after: the clock of a file system may be coarse.
  const idle = [{ from, to: by + 60_000, followed: true }];
  const there = (): readonly boolean[] => ["run.txt", "mine.txt"].map((name) => existsSync(join(root, name)));
  expect(await undo(snapshots, "r", refs.start("r"), end, { idle, whole: true })).toEqual({
    refused: "touched",
    paths: ["mine.txt"],
  });
  expect(there()).toEqual([true, true]);
  const undone = await undo(snapshots, "r", refs.start("r"), end, { idle });
  expect(undone).toMatchObject({ paths: ["run.txt"], left: [], others: ["mine.txt"] });
  expect(there()).toEqual([false, true]);
  expect(await undo(snapshots, "r", refs.start("r"), end, { idle, force: true })).toMatchObject({ others: [] });
  expect(there()).toEqual([false, false]);
  rmSync(place, { recursive: true });
});
