import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stockNodes } from "../../src/language/stock/set.ts";

const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  readonly ports: string;
}

/** A repository with one commit, in which the commands of stock scripts are run as a run would. */
export class StockBench {
  readonly folder = mkdtempSync(join(tmpdir(), "stock-"));
  readonly repository = join(this.folder, "work");

  constructor() {
    mkdirSync(this.repository);
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit("a.txt", "a\n", "first");
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", [...identity, ...args], { cwd: this.repository, encoding: "utf8" }).trim();
  }

  /** Writes a file of the repository, with the folder it stands in. */
  write(path: string, text: string): void {
    mkdirSync(join(this.repository, path, ".."), { recursive: true });
    writeFileSync(join(this.repository, path), text);
  }

  commit(path: string, text: string, message = "more"): void {
    this.write(path, text);
    this.git("add", "-A");
    this.git("commit", "--quiet", "-m", message);
  }

  /** Runs the command of a stock script as a run would. */
  perform(name: string, variables: Readonly<Record<string, string>> = {}): Ended {
    const node = stockNodes().get(name)?.node;
    if (node?.type !== "script") throw new Error(`no stock script ${name}`);
    const output = join(this.folder, "ports.json");
    rmSync(output, { force: true });
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", node.run], {
      cwd: this.repository,
      encoding: "utf8",
      env: {
        PATH: `${join(import.meta.dirname, "../fixtures/github")}:${process.env["PATH"] ?? ""}`,
        HOME: this.folder,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "T",
        GIT_AUTHOR_EMAIL: "t@example.com",
        GIT_COMMITTER_NAME: "T",
        GIT_COMMITTER_EMAIL: "t@example.com",
        GH_LOG: join(this.folder, "gh.log"),
        TRAMMEL_RUN: "run-1",
        TRAMMEL_TASK_ID: "T1",
        TRAMMEL_OUTPUT: output,
        TASK: "Add a basket\nwith two handles",
        ...variables,
      },
    });
    let ports = "";
    try {
      ports = readFileSync(output, "utf8");
    } catch {
      // No ports were written.
    }
    return { exit: status, out: stdout.trim(), err: stderr.trim(), ports };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
