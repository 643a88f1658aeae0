import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identify, isAlive, isSame, self } from "./identity.ts";
import { hasProcfs, lastPid, listPids, readStat, readVariable } from "./procfs.ts";
import { listByPs } from "./ps.ts";

async function sleeper(env: Record<string, string> = {}): Promise<ChildProcess & { pid: number }> {
  const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"] ?? "", ...env }, stdio: "ignore" });
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

test("a process is alive until it has ended, and its identity is then nobody's", async () => {
  const child = await sleeper();
  const identity = identify(child.pid);
  expect(identity).not.toBeNull();
  if (identity === null) return;
  expect(isAlive(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  expect(identify(child.pid)).toBeNull();
});

test("the same pid with another start time, or before the last boot, is another process", () => {
  const own = self();
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, startTime: "1" })).toBe(false);
  expect(isAlive({ ...own, bootId: "another boot" })).toBe(false);
  expect(isSame(own, self())).toBe(true);
  expect(isSame(own, { ...own, startTime: "1" })).toBe(false);
});

test.runIf(hasProcfs)("a zombie counts as gone", async () => {
  // The shell starts a child and becomes a program that never collects it; only then the child ends.
  const child = "until grep -q sleep /proc/$$/comm; do sleep 0.01; done";
  const parent = spawn("sh", ["-c", `{ ${child}; } & echo $!; exec sleep 60`], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  await expect.poll(() => readStat(pid)?.zombie).toBe(true);
  expect(identify(pid)).toBeNull();
  parent.kill("SIGKILL");
  await once(parent, "exit");
});

test.runIf(hasProcfs)("variables are read whole and by exact name", async () => {
  const child = await sleeper({ FIRST: "a=b", XMARK: "no", MARK: "yes and more" });
  await expect.poll(() => readVariable(child.pid, "MARK")).toBe("yes and more");
  expect(readVariable(child.pid, "FIRST")).toBe("a=b");
  expect(readVariable(child.pid, "ARK")).toBeNull();
  child.kill("SIGKILL");
});

test.runIf(hasProcfs)("the kernel's newest pid is at least that of the newest child", async () => {
  const child = await sleeper();
  expect(lastPid()).toBeGreaterThanOrEqual(child.pid);
  expect(listPids()).toContain(child.pid);
  child.kill("SIGKILL");
});

test.runIf(hasProcfs)("the table of `ps` agrees with the kernel on parent, group and session", async () => {
  const child = await sleeper();
  const row = listByPs().find(({ pid }) => pid === child.pid);
  const stat = readStat(child.pid);
  expect(row).toMatchObject({ parent: process.pid, group: stat?.group, session: stat?.session, zombie: false });
  child.kill("SIGKILL");
});

test.runIf(hasProcfs)("an environment of any length is read to its end", async () => {
  for (const length of [10, 16 * 1024, 100_000]) {
    const child = await sleeper({ LONG: "x".repeat(length), LAST: `after ${length}` });
    await expect.poll(() => readVariable(child.pid, "LAST")).toBe(`after ${length}`);
    child.kill("SIGKILL");
  }
});
