import { spawn } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { median, timed } from "./measure.ts";

export interface CommitFloor {
  /** Milliseconds for `count` single commits of the record. */
  commits(count: number): number;
  close(): void;
}

/** A bare SQLite file with one append-only table: WAL, synchronous=FULL, one record of `bytes` bytes a commit. */
export function sqliteCommits(folder: string, bytes: number): CommitFloor {
  const database = new DatabaseSync(join(folder, "floor.sqlite"));
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE record (body BLOB)");
  const insert = database.prepare("INSERT INTO record (body) VALUES (?)");
  const record = new Uint8Array(bytes).fill(120);
  return {
    commits(count) {
      const started = performance.now();
      for (let n = 0; n < count; n++) insert.run(record);
      return performance.now() - started;
    },
    close: () => database.close(),
  };
}

/** The least any durable record costs: an append and an fdatasync. */
export function rawAppends(folder: string, bytes: number): CommitFloor {
  const file = openSync(join(folder, "floor.log"), "a");
  const record = new Uint8Array(bytes).fill(120);
  return {
    commits(count) {
      const started = performance.now();
      for (let n = 0; n < count; n++) {
        writeSync(file, record);
        fdatasyncSync(file);
      }
      return performance.now() - started;
    },
    close: () => closeSync(file),
  };
}

/** Resolves with the exit code once the process has gone and its pipes are closed. */
export function spawned(
  command: string,
  arguments_: readonly string[],
  cwd: string,
  env = process.env,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, arguments_, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Milliseconds of one process from spawn to its end, the median of `count`; refuses a process that fails. */
export async function processTime(
  command: string,
  arguments_: readonly string[],
  cwd: string,
  count: number,
  env = process.env,
): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    times.push(
      await timed(async () => {
        const code = await spawned(command, arguments_, cwd, env);
        if (code !== 0) throw new Error(`${command} ${arguments_.join(" ")} exited with ${code}`);
      }),
    );
  }
  return median(times);
}
