import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root } from "../../scripts/files.ts";
import type { CodeBlock } from "../../scripts/markdown.ts";

/** A block of commands as it went. */
export interface BlockRun {
  readonly line: number;
  readonly expectedExit: number;
  /** As a shell tells it: 128 + its number for a signal. */
  readonly exit: number;
  readonly output: string;
  /** The output that the page shows for it. */
  readonly shown: string | null;
}

/**
 * Follows a page as its reader would, in one fresh folder with a fresh home: a block with a file
 * name is written to that file, an `sh` block is run there (`exit=N` where it is meant to end so),
 * a `text` block right after it is the output that it shows.
 */
export function runPage(blocks: readonly CodeBlock[], env: Readonly<Record<string, string>> = {}): BlockRun[] {
  const folder = mkdtempSync(join(tmpdir(), "trammel-page-"));
  try {
    const environment = { ...pageEnvironment(folder), ...env };
    const project = join(folder, "project");
    mkdirSync(project);
    return blocks.flatMap((block, index) => {
      const name = block.words.find((word) => !word.includes("="));
      if (name !== undefined) writeInto(project, name, block.text);
      if (block.language !== "sh") return [];
      const next = blocks[index + 1];
      const shown = next?.language === "text" ? next.text : null;
      return [{ ...runBlock(block, inRepository(block) ? root : project, environment), shown }];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pageEnvironment(folder: string): Record<string, string> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(join(root, "bin/trammel.js"), join(bin, "trammel"));
  const { PATH = "", LANG = "C.UTF-8" } = process.env;
  const identity = { GIT_AUTHOR_NAME: "Reader", GIT_AUTHOR_EMAIL: "reader@example.com" };
  return {
    ...identity,
    GIT_COMMITTER_NAME: identity.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: identity.GIT_AUTHOR_EMAIL,
    PATH: [bin, join(root, "node_modules/.bin"), PATH].join(delimiter),
    LANG,
    HOME: join(folder, "home"),
    TRAMMEL_HOME: join(folder, "home/trammel"),
    NO_COLOR: "1",
  };
}

function writeInto(project: string, name: string, text: string): void {
  const file = join(project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}

/**
 * What starts with the clone's own installation is run in the clone; the
 * installation itself is what made these tests possible.
 */
function inRepository(block: CodeBlock): boolean {
  return block.text.startsWith("npm ci && ");
}

function runBlock(block: CodeBlock, cwd: string, env: Record<string, string>): Omit<BlockRun, "shown"> {
  const script = block.text.replace(/^npm ci && /gm, "");
  const { status, signal, output } = spawnSync("bash", ["-e", "-c", `exec 2>&1\n${script}`], {
    cwd,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  const expectedExit = Number(block.words.find((word) => word.startsWith("exit="))?.slice("exit=".length) ?? 0);
  return {
    line: block.line,
    expectedExit,
    exit: status ?? 128 + (signal === null ? 0 : constants.signals[signal]),
    output: output[1] ?? "",
  };
}

/**
 * Whether the output is what the page shows: line by line, `…` in a line for any text, alone on a line for any lines.
 */
export function matchesShown(output: string, shown: string): boolean {
  const lines = shown.trim().split("\n");
  const pattern = lines.map((line) =>
    line.trim() === "…" ? "(?:.*\n)*?" : `${line.trimEnd().split("…").map(escapeForRegExp).join(".*")}[ \t]*\n`,
  );
  return new RegExp(`^\\s*${pattern.join("")}\\s*$`).test(`${output.trim()}\n`);
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
