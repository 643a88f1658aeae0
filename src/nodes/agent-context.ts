import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AgentContext } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import type { ActionContext } from "../ports/performer.ts";
import { clip, type Mask } from "../runtime/text.ts";
import { matcherOf } from "../runtime/tree/globs.ts";
import { readPlainFile, realOf } from "../runtime/tree/plain-file.ts";
import { isInside, scanTree } from "../runtime/tree/scan.ts";

type Gathered = { readonly text: string } | { readonly problem: string };

/** Why a context cannot be held to here, or null. */
export function missingContext({ include = [], read, only }: AgentContext): string | null {
  const link = include.find((entry) => /^[a-z]+:\/\//i.test(entry));
  if (link !== undefined)
    return `context.include cannot fetch ${link} yet; fetch it with a script node and refer to that`;
  if (include.length > limits.contextEntries) return `context.include has more than ${limits.contextEntries} entries`;
  if (read !== undefined) return "context.read is not carried out yet";
  return only === undefined ? null : "context.only is not carried out yet";
}

/**
 * What `include` names, as one text for the prompt: files by glob, and the output of commands (`$ git log -5`). In the order of
 * the entries, files of one entry by path; each part bounded like any value in a prompt. An entry that names nothing is a
 * problem: the author expected something there.
 */
export async function gather(
  include: readonly string[],
  context: ActionContext,
  dataFolder: string,
  mask: Mask,
): Promise<Gathered> {
  try {
    return await gatherAll(include, context, dataFolder, mask);
  } catch (error) {
    return { problem: `context.include: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function gatherAll(
  include: readonly string[],
  context: ActionContext,
  dataFolder: string,
  mask: Mask,
): Promise<Gathered> {
  const parts: string[] = [];
  const seen = new Set<string>();
  for (const entry of include) {
    if (entry.startsWith("$ ")) {
      parts.push(await outputOf(entry.slice(2), context, mask));
      continue;
    }
    const paths = await filesOf(entry, context.cwd, dataFolder);
    if (paths.length === 0) return { problem: `context.include: ${entry} names no file` };
    for (const path of paths) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (seen.size > limits.contextFiles)
        return { problem: `context.include names more than ${limits.contextFiles} files` };
      parts.push(await contentOf(path, context.cwd, mask));
    }
  }
  return { text: clip(parts.join("\n"), limits.contextBytes) };
}

async function filesOf(glob: string, cwd: string, dataFolder: string): Promise<readonly string[]> {
  const tree = await scanTree(cwd, { except: [dataFolder], only: matcherOf([glob]).matches });
  return [...tree.keys()].toSorted();
}

async function contentOf(path: string, cwd: string, mask: Mask): Promise<string> {
  const file = realOf(join(cwd, path));
  // A repository may hold a link to anything; only what it holds itself is shown to a model.
  if (file === null || !isInside(await realpath(cwd), file))
    return `--- ${path}\n(a link that leads out of the folder)\n`;
  const bytes = await readPlainFile(file, limits.snapshotFileBytes).catch((error: Error) => error);
  if (bytes instanceof Error) return `--- ${path}\n(not readable: ${bytes.message})\n`;
  const text = isUtf8(bytes)
    ? clip(mask(bytes.toString("utf8")), limits.promptValueBytes)
    : `(${bytes.length} bytes, no text)`;
  return `--- ${path}\n${text.trimEnd()}\n`;
}

async function outputOf(command: string, context: ActionContext, mask: Mask): Promise<string> {
  const spec = {
    argv: ["sh", "-c", command],
    cwd: context.cwd,
    env: await context.environment(),
    timeoutMs: limits.contextCommandMs,
    outputBytes: context.outputBytes,
  };
  const { end, output } = await context.can.processes.run(spec, context.signal);
  const how = end.kind === "exit" && end.code === 0 ? "" : ` (${end.kind === "exit" ? `exit ${end.code}` : end.kind})`;
  return `--- $ ${command}${how}\n${clip(mask(output.text), limits.promptValueBytes).trimEnd()}\n`;
}
