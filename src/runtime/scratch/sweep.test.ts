import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { identify } from "../processes/identity.ts";
import { scratchPrefix, sweepScratch } from "./sweep.ts";

const now = Date.now();

/** Folders by name, each last written to so long ago. */
function parentWith(folders: Readonly<Record<string, number>>): string {
  const parent = mkdtempSync(path.join(tmpdir(), "trammel-sweep-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  for (const [name, ageMs] of Object.entries(folders)) {
    mkdirSync(path.join(parent, name));
    const seconds = (now - ageMs) / 1_000;
    utimesSync(path.join(parent, name), seconds, seconds);
  }
  return parent;
}

const old = limits.scratchKeptMs + 1_000;

test("what a killed process left long ago is removed; what lives, is young or is no scratch stays", async () => {
  const child = spawn("sleep", ["300"]);
  const killed = identify(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "close");
  const dead = `trammel-${killed?.pid}.${killed?.startTime}.`;
  const mine = `${scratchPrefix()}abcdef`;
  const stays = [mine, `${dead}young1`, "trammel-abcdef", "trammel-1.2", "other"];
  const parent = parentWith({
    [`${dead}oldone`]: old,
    [`${dead}young1`]: 0,
    ...Object.fromEntries([mine, "trammel-abcdef", "trammel-1.2", "other"].map((name) => [name, old])),
  });
  await sweepScratch(parent, now);
  expect(readdirSync(parent).sort()).toEqual(stays.sort());
});

test("a process that has the pid of a killed one does not keep its folder", async () => {
  const parent = parentWith({ [`trammel-${process.pid}.1.abcdef`]: old });
  await sweepScratch(parent, now);
  expect(readdirSync(parent)).toEqual([]);
});

test("a link in the place of a folder is not followed", async () => {
  const parent = parentWith({ kept: old });
  const link = `trammel-${process.pid}.1.abcdef`;
  symlinkSync(path.join(parent, "kept"), path.join(parent, link));
  await sweepScratch(parent, now + 2 * limits.scratchKeptMs);
  expect(readdirSync(parent).sort()).toEqual(["kept", link].sort());
});

test("a folder that is not there is no fault", async () => {
  await expect(sweepScratch("/nowhere/at/all", now)).resolves.toBeUndefined();
});
