import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countersOf, makeGroups, removeGroups } from "./groups.ts";

let base: string;
/** Where control groups are mounted, in a place as odd as one may be. */
let top: string;

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "trammel-groups-"));
  top = path.join(base, "control groups");
  mkdirSync(top);
});
afterEach(() => rmSync(base, { recursive: true }));

/** As a table of mounts has it: see proc_pid_mountinfo(5). */
function mounted(folder: string): string {
  return folder.replaceAll(" ", "\\040");
}

/** A folder that looks like a control group of version 2 which hands these controllers down. */
function group(place: string, handsDown: string): void {
  mkdirSync(path.join(top, place), { recursive: true });
  writeFileSync(path.join(top, place, "cgroup.procs"), "");
  writeFileSync(path.join(top, place, "cgroup.subtree_control"), handsDown);
}

const wanted = { memory: 64 * 1024 * 1024, cpus: 1.5, pids: 40 };

function text(...parts: readonly string[]): string {
  return readFileSync(path.join(top, ...parts), "utf8");
}

describe("in version 2", () => {
  const tables = (own: string): { mounts: string; own: string } => ({
    mounts: `30 23 0:26 / ${mounted(top)} rw,nosuid - cgroup2 cgroup2 rw\n`,
    own: `0::${own}\n`,
  });

  test("the group goes beside ours, below the nearest that hands every controller down", () => {
    group("", "cpu memory pids\n");
    group("user.slice", "memory pids\n");
    group("user.slice/shell.scope", "\n");
    const groups = makeGroups("box", wanted, tables("/user.slice/shell.scope"));
    expect(groups.held).toEqual(new Set(["memory", "cpus", "pids"]));
    expect(groups.folders.toSorted()).toEqual([path.join(top, "box"), path.join(top, "user.slice", "box")]);
    expect(text("user.slice", "box", "memory.max")).toBe(String(wanted.memory));
    expect(text("user.slice", "box", "memory.swap.max")).toBe("0");
    expect(text("user.slice", "box", "pids.max")).toBe("40");
    expect(text("box", "cpu.max")).toBe("150000 100000");
  });

  test("a controller that nobody hands down is not held", () => {
    group("", "memory\n");
    expect(makeGroups("box", wanted, tables("/")).held).toEqual(new Set(["memory"]));
  });

  test("limits that were met are counted", () => {
    group("", "memory pids\n");
    const groups = makeGroups("box", wanted, tables("/"));
    expect(countersOf(groups)).toEqual({ memory: 0, pids: 0 });
    writeFileSync(path.join(top, "box", "memory.events"), "low 0\noom 3\noom_kill 2\n");
    writeFileSync(path.join(top, "box", "pids.events"), "max 7\n");
    expect(countersOf(groups)).toEqual({ memory: 2, pids: 7 });
  });
});

test("in version 1 each controller has its own tree, mounted in part", () => {
  for (const name of ["memory", "pids"]) group(`${name}/own`, "");
  const mounts = ["memory", "pids"].map(
    (name) => `31 23 0:27 /part ${mounted(path.join(top, name))} rw - cgroup cgroup rw,${name}\n`,
  );
  const own = "5:memory:/part/own\n4:pids:/part/own\n3:cpu:/\n";
  const groups = makeGroups("box", wanted, { mounts: mounts.join(""), own });
  expect(groups.held).toEqual(new Set(["memory", "pids"]));
  expect(text("memory", "own", "box", "memory.limit_in_bytes")).toBe(String(wanted.memory));
  expect(text("pids", "own", "box", "pids.max")).toBe("40");
});

test("without control groups nothing is held, and nothing made", () => {
  expect(makeGroups("box", wanted, { mounts: "", own: "" })).toEqual({ folders: [], held: new Set() });
});

test("groups are removed, and what is gone already is no fault", async () => {
  mkdirSync(path.join(top, "box"));
  expect(await removeGroups([path.join(top, "box"), path.join(top, "never")])).toBe(true);
  expect(readdirSync(top)).toEqual([]);
});
