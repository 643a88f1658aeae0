import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../../scripts/files.ts";
import type { CodeBlock } from "../../scripts/markdown.ts";

/** Where the pages say that a local model answers. */
const documentedUrl = "http://localhost:11434/v1";

/**
 * The blocks of a page with the address of the local model that it speaks of turned into that of a server that says
 * what `models/<page>.json` holds; as they are where there is no such file.
 */
export async function withModel<T>(
  page: string,
  blocks: readonly CodeBlock[],
  work: (blocks: readonly CodeBlock[]) => T,
): Promise<T> {
  const script = join(import.meta.dirname, "models", `${basename(page, ".md")}.json`);
  if (!existsSync(script)) return work(blocks);
  const server = spawn(process.execPath, [join(root, "test/fixtures/model-server/main.ts"), script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("close", resolve));
  try {
    const url = await firstUrl(server.stdout);
    return work(blocks.map((block) => ({ ...block, text: block.text.replaceAll(documentedUrl, url) })));
  } finally {
    server.stdin.end();
    await ended;
  }
}

async function firstUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) return (JSON.parse(line) as { url: string }).url;
  throw new Error("the model server ended before it said where it listens");
}
