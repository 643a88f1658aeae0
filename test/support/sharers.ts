import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Task } from "../fixtures/sharer.ts";

interface Sharer {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly answers: AsyncIterator<string>;
}

/** Processes that wait for what they are told, so that they begin at the same moment. */
export class Sharers {
  readonly #all: readonly Sharer[];

  constructor(count: number) {
    const program = join(import.meta.dirname, "../fixtures/sharer.ts");
    this.#all = Array.from({ length: count }, () => {
      const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
      return { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
  }

  /** What each answers to its task, one task a process. */
  async atOnce(...tasks: readonly Task[]): Promise<readonly unknown[]> {
    const given = tasks.map((task, n) => ({ task, sharer: this.#all[n] }));
    for (const { task, sharer } of given) sharer?.child.stdin.write(`${JSON.stringify(task)}\n`);
    return Promise.all(given.map(async ({ sharer }) => JSON.parse(String((await sharer?.answers.next())?.value))));
  }

  end(): void {
    for (const { child } of this.#all) child.stdin.end();
  }
}
