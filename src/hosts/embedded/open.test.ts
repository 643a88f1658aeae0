import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "./open.ts";
import { migrations } from "./schema.ts";

const rounds = 40;
const opener = join(import.meta.dirname, "../../../test/fixtures/store-opener.ts");

interface Opener {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly answers: AsyncIterator<string>;
}

let openers: readonly Opener[];
const folder = mkdtempSync(join(tmpdir(), "trammel-open-"));

beforeAll(() => {
  openers = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, [opener], { stdio: ["pipe", "pipe", "inherit"] });
    return { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
});

afterAll(() => {
  for (const { child } of openers) child.stdin.end();
  rmSync(folder, { recursive: true, force: true });
});

/** What each says that is told to open one store at the same moment. */
async function openedAtOnce(home: string): Promise<readonly string[]> {
  for (const { child } of openers) child.stdin.write(`${home}\n`);
  return Promise.all(openers.map(async ({ answers }) => String((await answers.next()).value)));
}

function versionOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
  db.close();
  return version;
}

test("a store that several make at the same moment opens to each of them", async () => {
  for (let n = 0; n < rounds; n += 1)
    expect(await openedAtOnce(join(folder, `new-${n}`))).toEqual(["opened", "opened", "opened"]);
});

test("an older store that several open at the same moment is migrated once, and its copy is whole", async () => {
  const older = migrations.slice(0, -1);
  for (let n = 0; n < rounds; n += 1) {
    const home = join(folder, `old-${n}`);
    const { reading, writing } = openStore(home, older);
    reading.close();
    writing.close();
    expect(await openedAtOnce(home)).toEqual(["opened", "opened", "opened"]);
    expect(readdirSync(home).sort()).toEqual(["trammel.db", `trammel.db.v${older.length}`]);
    expect(versionOf(join(home, "trammel.db"))).toBe(migrations.length);
    expect(versionOf(join(home, `trammel.db.v${older.length}`))).toBe(older.length);
  }
});
