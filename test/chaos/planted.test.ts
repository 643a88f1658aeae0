import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dyingCase, linearCase as linear } from "./cases.ts";
import { examine, isSound } from "./figures.ts";
import { goOn } from "./person.ts";
import { Site } from "./site.ts";

const begin = ["run", "t", "-b", "b.yaml", "--json"];

let site: Site;
let work: string;
beforeEach(() => {
  site = new Site();
  work = site.work(linear);
});
afterEach(() => site[Symbol.dispose]());

const seen = (): ReturnType<typeof examine> => examine(site, new Map([[work, linear]]));
const runOf = async (): Promise<string> => (await site.stored())[0]?.row.run ?? "";

/** As on a disk that said that it had written and had not: the store is as it was after an earlier commit. */
async function forgetting(): Promise<void> {
  const old = join(site.folder, "old");
  await site.trammel(work, begin, { at: `copy:4:${old}` });
  rmSync(site.home, { recursive: true });
  cpSync(old, site.home, { recursive: true });
}

describe("a planted fault is counted", () => {
  test("a claim that is not on the disk when its action begins", async () => {
    await forgetting();
    await goOn(site, work, await runOf());
    const figures = await seen();
    expect(figures.twice).toBeGreaterThan(0);
    expect(isSound(figures)).toBe(false);
  });

  test("an event that somebody was told of and that is not kept", async () => {
    await forgetting();
    expect((await seen()).lost).toBeGreaterThan(0);
  });

  test("an action that is taken as done and was not", async () => {
    await site.trammel(work, begin, { at: "after:2" });
    const run = await runOf();
    await site.trammel(work, ["resume", run]);
    await site.trammel(work, ["settle", run, "a", "--as", "done"]);
    expect(await seen()).toMatchObject({ missing: 1, twice: 0, unended: 0 });
  });

  test("an action that is done again although it was done", async () => {
    const folder = site.work(dyingCase, "dying");
    await site.trammel(folder, begin);
    const run = await runOf();
    await site.trammel(folder, ["resume", run]);
    await site.trammel(folder, ["settle", run, "a", "--as", "again"]);
    const figures = await examine(site, new Map([[folder, dyingCase]]));
    expect(figures).toMatchObject({ twice: 1, missing: 0, lost: 0, unended: 0 });
  });

  test("a run that is not brought to its end", async () => {
    await site.trammel(work, begin, { at: "after:4" });
    expect(await seen()).toMatchObject({ unended: 1 });
  });

  test("a process that nobody ends", async () => {
    await site.trammel(work, begin);
    expect(isSound(await seen())).toBe(true);
    const child = spawn("sleep", ["300"], { env: { CHAOS_SITE: site.word }, stdio: "ignore" });
    expect((await seen()).left).toBe(1);
    child.kill();
  });
});
