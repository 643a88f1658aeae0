import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { locked } from "./lock.ts";

let folder: string;
let file: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-lock-"));
  file = join(folder, "counts.json");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const lock = JSON.stringify(resolve(import.meta.dirname, "lock.ts"));

/** A process that runs this text with `locked` and `file` at hand. */
function startOf(text: string): ChildProcess {
  const script = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { setTimeout as pause } from "node:timers/promises";
    import { locked } from ${lock};
    const file = ${JSON.stringify(file)};
    ${text}`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

/** A process that has the lock, and keeps it as long as it lives. */
async function holder(): Promise<ChildProcess> {
  const child = startOf(`
    const awake = setInterval(() => undefined, 1000);
    await locked(file, () => new Promise(() => console.log("held")));`);
  if (child.stdout === null) throw new Error("no output");
  await once(child.stdout, "data");
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Each adds one so and so often, in a way that loses some where two are at it at once. */
async function count(processes: number, times: number): Promise<number> {
  writeFileSync(file, "0");
  const all = Array.from({ length: processes }, () =>
    startOf(`
      for (let time = 0; time < ${times}; time += 1) {
        const answer = await locked(file, async () => {
          const before = Number(readFileSync(file, "utf8"));
          await pause(1);
          writeFileSync(file, String(before + 1));
          return {};
        }, { waitMs: 60_000 });
        if ("unlocked" in answer) throw new Error(answer.unlocked);
      }`),
  );
  expect(await Promise.all(all.map(async (one) => (await once(one, "exit"))[0]))).toEqual(all.map(() => 0));
  return Number(readFileSync(file, "utf8"));
}

const done = async () => "done";

it("is one process's at a time", async () => {
  expect(await count(6, 20)).toBe(120);
  expect(readdirSync(folder)).toEqual(["counts.json"]);
});

it("goes to one of many when its holders died one after the other", async () => {
  for (let dead = 0; dead < 3; dead += 1) await killed(await holder());
  expect(readdirSync(folder)).toHaveLength(3);
  expect(await count(6, 10)).toBe(60);
  expect(readdirSync(folder)).toEqual(["counts.json"]);
});

it("is not taken from a process that lives, and says which that is", async () => {
  const { pid } = await holder();
  expect(await locked(file, done, { waitMs: 100 })).toEqual({
    unlocked: `process ${pid} has had the lock ${file}.lock for 0.1 s`,
    hint: expect.stringContaining("stop it"),
  });
});

it("is let go when the work throws, and is one's own only once", async () => {
  await expect(locked(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await locked(file, () => locked(file, done, { waitMs: 50 }))).toMatchObject({ unlocked: expect.any(String) });
  expect(await locked(file, done)).toBe("done");
});

it("is not taken from a process of another machine or namespace, which nobody here can look for", async () => {
  const dead = await holder();
  await killed(dead);
  const [name = ""] = readdirSync(folder);
  const text = readlinkSync(join(folder, name));
  rmSync(join(folder, name));
  symlinkSync(text.replace(/\S+$/, "elsewhere"), join(folder, name));
  expect(await locked(file, done, { waitMs: 50 })).toMatchObject({ unlocked: expect.stringContaining("of elsewhere") });
  expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
});

it("does nothing where something else stands in its place, or nothing can", async () => {
  writeFileSync(`${file}.lock`, "");
  expect(await locked(file, done)).toEqual({ unlocked: `${file}.lock is no lock of Trammel`, hint: "remove it" });
  expect(await locked("/proc/counts.json", done)).toMatchObject({
    unlocked: expect.stringContaining("cannot be made"),
  });
});
