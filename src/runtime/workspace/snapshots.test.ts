import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";
import { indexOf } from "./index-turn.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots, type Snapshots } from "./snapshots.ts";

let place: string;
let root: string;
const env = { PATH: process.env["PATH"], HOME: "/nowhere" };

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-snapshots-")));
  root = join(place, "project");
  mkdirSync(root);
  run("init", "--quiet", "-b", "main");
  write("kept.txt", "one\n");
  write(".gitignore", "*.log\n");
  write("forced.log", "tracked though ignored\n");
  run("add", "--force", ".");
  commit("first");
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function run(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
}

function commit(message: string): void {
  run("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", message);
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

async function open(except: readonly string[] = [], own: typeof env = env): Promise<Snapshots> {
  const repository = await repositoryOf(root, own);
  if (repository === null) throw new Error("no repository");
  return openSnapshots(repository, join(place, "trees"), own, { paths: except, globs: [] });
}

test("tells what changed: tracked, untracked and tracked though ignored, and nothing ignored", async () => {
  const snapshots = await open();
  const before = await snapshots.take();
  write("kept.txt", "two\n");
  write("new file.txt", "new\n");
  write("forced.log", "changed\n");
  write("noise.log", "ignored\n");
  const after = await snapshots.take();
  expect(await snapshots.changed(before, after)).toEqual(["forced.log", "kept.txt", "new file.txt"]);
  expect((await snapshots.diff(before, after)).toString()).toContain("-one\n+two\n");
  expect(run("status", "--porcelain")).toBe('M forced.log\n M kept.txt\n?? "new file.txt"');
});

test("leaves out what it is told to, whether or not that is ignored anyway or tracked though ignored", async () => {
  const except = ["data", "own.txt", "own.log", "forced.log"];
  const snapshots = await open(except);
  const before = await snapshots.take();
  mkdirSync(join(root, "data"));
  for (const path of ["data/x.txt", "own.txt", "own.log", "forced.log"]) write(path, "ours\n");
  write("kept.txt", "two\n");
  expect(await snapshots.changed(before, await snapshots.take())).toEqual(["kept.txt"]);
});

test("puts back the paths it is told and no other, and drops no commit", async () => {
  const snapshots = await open();
  write("mine.txt", "untracked\n");
  const before = await snapshots.take();
  write("kept.txt", "two\n");
  run("add", "kept.txt");
  commit("by the agent");
  mkdirSync(join(root, "made"));
  write("made/file", "new\n");
  rmSync(join(root, "mine.txt"));
  const head = run("rev-parse", "HEAD");
  const changed = await snapshots.changed(before, await snapshots.take());
  write("later.txt", "by the user\n");
  expect(await snapshots.restore(before, changed)).toEqual([]);
  expect([read("kept.txt"), read("mine.txt"), read("later.txt")]).toEqual(["one\n", "untracked\n", "by the user\n"]);
  expect(existsSync(join(root, "made/file"))).toBe(false);
  expect(run("rev-parse", "HEAD")).toBe(head);
});

test("runs no hook, filter or monitor that the repository names, and keeps the bytes", async () => {
  write(".gitattributes", "* text=auto eol=lf filter=evil\n");
  run("config", "filter.evil.clean", `touch ${place}/ran; cat`);
  run("config", "filter.evil.smudge", `touch ${place}/ran; cat`);
  run("config", "core.fsmonitor", `touch ${place}/ran; false`);
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  writeFileSync(join(root, ".git/hooks/reference-transaction"), `#!/bin/sh\ntouch ${place}/ran\n`, { mode: 0o755 });
  write("dos.txt", "a\r\nb\r\n");
  const snapshots = await open();
  const before = await snapshots.take();
  await snapshots.keep("refs/trammel/r/start", before);
  expect(await snapshots.kept("refs/trammel/r/start")).toBe(before);
  appendFileSync(join(root, "dos.txt"), "c\r\n");
  await snapshots.restore(before, ["dos.txt"]);
  expect(read("dos.txt")).toBe("a\r\nb\r\n");
  expect(existsSync(join(place, "ran"))).toBe(false);
});

test("brings a file back that lets in whom it let in, whatever its name", async () => {
  const named = { "secret\n1.txt": 0o600, "secret\u2028Modes: 777 777\u2028.txt": 0o600 };
  const modes = {
    ...named,
    "tool.sh": 0o700,
    "plain.txt": 0o644,
    "also.txt": 0o644,
    "most.txt": 0o644,
    "open.txt": 0o666,
  };
  for (const [path, mode] of Object.entries(modes)) {
    write(path, "mine\n");
    chmodSync(join(root, path), mode);
  }
  const snapshots = await open();
  const before = await snapshots.take();
  await snapshots.keep("refs/trammel/r/start", before);
  for (const path of Object.keys(modes)) rmSync(join(root, path));
  const changed = await snapshots.changed(before, await snapshots.take());
  expect(await snapshots.restore("refs/trammel/r/start", changed)).toEqual([]);
  const now = Object.keys(modes).map((path) => [path, statSync(join(root, path)).mode & 0o777]);
  expect(Object.fromEntries(now)).toEqual(modes);
});

test("lets nobody into a file that was as in the commit, be it taken away or written anew, but who was let in", async () => {
  const modes = { "gone.key": 0o600, "anew.key": 0o600, "anew.txt": 0o644, "gone.txt": 0o644, "tool.sh": 0o700 };
  for (const [path, mode] of Object.entries(modes)) {
    write(path, "mine\n");
    chmodSync(join(root, path), mode);
  }
  run("add", ".");
  commit("second");
  const snapshots = await open();
  const before = await snapshots.take();
  await snapshots.keep("refs/trammel/r/start", before);
  for (const path of Object.keys(modes)) rmSync(join(root, path));
  for (const path of ["anew.key", "anew.txt"]) write(path, "other\n");
  // As somebody made it since.
  chmodSync(join(root, "anew.txt"), 0o640);
  const changed = await snapshots.changed(before, await snapshots.take());
  expect(await snapshots.restore("refs/trammel/r/start", changed)).toEqual([]);
  const now = Object.keys(modes).map((path) => [path, statSync(join(root, path)).mode & 0o777]);
  expect(Object.fromEntries(now)).toEqual({ ...modes, "anew.txt": 0o640 });
});

test("follows no link out of the tree when it puts back", async () => {
  const outside = join(place, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "precious\n");
  const snapshots = await open();
  const before = await snapshots.take();
  symlinkSync(outside, join(root, "link"));
  expect(await snapshots.restore(before, ["link/file"])).toEqual(["link/file"]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("precious\n");
  expect(await snapshots.restore(before, ["link"])).toEqual([]);
  expect(existsSync(join(root, "link"))).toBe(false);
});

test("loses nothing that is in no picture where a folder took the place of a file, or a file that of a folder", async () => {
  mkdirSync(join(root, "made"));
  write("made/file", "was\n");
  const snapshots = await open();
  const before = await snapshots.take();
  for (const path of ["kept.txt", "made"]) rmSync(join(root, path), { recursive: true });
  mkdirSync(join(root, "kept.txt"));
  write("kept.txt/ignored.log", "precious\n");
  write("kept.txt/own", "new\n");
  write("made", "a file\n");
  const changed = await snapshots.changed(before, await snapshots.take());
  expect(changed).toEqual(["kept.txt", "kept.txt/own", "made", "made/file"]);
  expect(await snapshots.restore(before, changed)).toEqual(["kept.txt"]);
  expect([read("kept.txt/ignored.log"), existsSync(join(root, "kept.txt/own")), read("made/file")]).toEqual([
    "precious\n",
    false,
    "was\n",
  ]);
});

test("pictures that several processes ask for at once are each of the tree as it is", async () => {
  const sharers = new Sharers(3);
  for (let n = 0; n < 40; n += 1) write(`file-${n}.txt`, `${n}\n`);
  for (let round = 0; round < 3; round += 1) {
    write("kept.txt", `${round}\n`);
    const picture = { do: "picture", root, folder: join(place, `shared-${round}`), times: 2 } as const;
    const [first, ...others] = await sharers.atOnce(picture, picture, picture);
    const snapshots = await open();
    const tree = await snapshots.take();
    expect([first, ...others]).toEqual([1, 2, 3].map(() => [tree, tree]));
  }
  sharers.end();
});

test("a folder for pictures that was left half made is made anew", async () => {
  const before = await (await open()).take();
  const folder = join(place, "trees", indexOf(root));
  rmSync(join(folder, "root"));
  writeFileSync(join(folder, "config"), "");
  writeFileSync(join(folder, "config.lock"), "");
  expect(await (await open()).take()).toBe(before);
});

test("pictures that several ask for at once are taken one after the other", async () => {
  const several = await Promise.all([open(), open(), open()]);
  write("new.txt", "new\n");
  const trees = await Promise.all(several.map((snapshots) => snapshots.take()));
  expect(new Set(trees).size).toBe(1);
  expect(run("show", `${trees[0]}:new.txt`)).toBe("new");
});

test("what the user ignored everywhere when a run began is no change, though XDG_CONFIG_HOME is empty", async () => {
  mkdirSync(join(place, ".config/git"), { recursive: true });
  writeFileSync(join(place, ".config/git/ignore"), "*.own\n");
  const own = { ...env, HOME: place, XDG_CONFIG_HOME: "" };
  const snapshots = await open([], own);
  const before = await snapshots.take();
  rmSync(join(place, ".config"), { recursive: true });
  write("mine.own", "");
  write("new.txt", "");
  expect(await snapshots.changed(before, await snapshots.take())).toEqual(["new.txt"]);
});
