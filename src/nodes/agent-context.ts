import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AgentContext } from "../model/agent-settings.ts";
import type { ReadScope } from "../model/settings.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";
import { messageOf } from "../model/thrown.ts";
import type { ActionContext } from "../ports/performer.ts";
import { clip, type Mask } from "../runtime/text.ts";
import { matcherOf } from "../runtime/tree/globs.ts";
import { readPlainFile, realOf } from "../runtime/tree/plain-file.ts";
import { isInside, scanTree } from "../runtime/tree/scan.ts";
import { wholeText } from "../runtime/whole-text.ts";

/** What goes into the prompt beside the node's own text. */
export interface Bundle {
  readonly text: string;
  /** SHA-256 of the text, by which the blob store keeps it; null where it is empty. */
  readonly digest: string | null;
}

/** What a bundle is gathered from: a folder, wherever it is. */
export interface Source {
  /** Files that a glob names, by path from the folder. */
  files(glob: string): Promise<readonly string[]>;
  /** Text for a prompt; `digest` is that of the file, null where its content is not shown. */
  content(path: string): Promise<{ readonly text: string; readonly digest: string | null }>;
  /** What a command printed, and how it ended where that was not well. */
  output(command: string): Promise<{ readonly text: string; readonly ended: string }>;
}

/** Why a context cannot be held to anywhere, or null. */
export function missingContext({ include = [] }: AgentContext): string | null {
  return include.length > limits.contextEntries
    ? `context.include has more than ${limits.contextEntries} entries`
    : null;
}

/** What may be read under a context; null where nothing limits it. */
export function readScopeOf(context: AgentContext | undefined): ReadScope | null {
  return context?.read ?? (context?.only === undefined ? null : "repository");
}

/**
 * What `include` names, as one text for the prompt: files by glob, the output of commands (`$ git log -5`), and links
 * as they stand. In the order of the entries, files of one entry by path; each part bounded like any value in a prompt.
 * An entry that names nothing is a problem: the author expected something there. Kept by its content, and told of; a
 * later attempt of the same pass is given the same.
 */
export async function bundleOf(
  include: readonly string[],
  context: ActionContext,
  source: Source,
): Promise<Bundle | { readonly problem: string }> {
  if (include.length === 0) return { text: "", digest: null };
  const { blobs } = context.can;
  const tell = (event: AgentEvent): void => context.report({ kind: "agent", event });
  try {
    const earlier = context.bundle === undefined ? null : await blobs.get(context.bundle);
    const text = earlier === null ? await gather(include, source, tell) : Buffer.from(earlier).toString();
    const digest = await blobs.put(Buffer.from(text));
    tell({ type: "context", bundle: digest, bytes: Buffer.byteLength(text) });
    return { text, digest };
  } catch (error) {
    return { problem: `context.include: ${messageOf(error)}` };
  }
}

async function gather(include: readonly string[], source: Source, tell: (event: AgentEvent) => void): Promise<string> {
  const parts: string[] = [];
  const seen = new Set<string>();
  for (const entry of include) {
    if (/^[a-z][a-z+.-]*:\/\//i.test(entry)) {
      parts.push(`--- ${entry}\n(a link; it was not fetched)\n`);
      continue;
    }
    if (entry.startsWith("$ ")) {
      const { text, ended } = await source.output(entry.slice(2));
      parts.push(`--- ${entry}${ended === "" ? "" : ` (${ended})`}\n${text.trimEnd()}\n`);
      continue;
    }
    const paths = (await source.files(entry)).toSorted();
    if (paths.length === 0) throw new Error(`${entry} names no file`);
    for (const path of paths) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (seen.size > limits.contextFiles) throw new Error(`it names more than ${limits.contextFiles} files`);
      const { text, digest } = await source.content(path);
      parts.push(`--- ${path}\n${text.trimEnd()}\n`);
      if (digest !== null) tell({ type: "read", path, digest, how: "given" });
    }
  }
  return clip(parts.join("\n"), limits.contextBytes);
}

/** The folder of the run. */
export function sourceHere(context: ActionContext, dataFolder: string, mask: Mask): Source {
  return {
    files: (glob) => filesOf(glob, context.cwd, dataFolder),
    content: (path) => contentOf(path, context.cwd, mask),
    output: (command) => outputOf(command, context, mask),
  };
}

async function filesOf(glob: string, cwd: string, dataFolder: string): Promise<readonly string[]> {
  const tree = await scanTree(cwd, { except: [dataFolder], only: matcherOf([glob]).matches });
  return [...tree.keys()];
}

async function contentOf(
  path: string,
  cwd: string,
  mask: Mask,
): Promise<{ readonly text: string; readonly digest: string | null }> {
  const file = realOf(join(cwd, path));
  // A repository may hold a link to anything; only what it holds itself is shown to a model.
  if (file === null || !isInside(await realpath(cwd), file))
    return { text: "(a link that leads out of the folder)", digest: null };
  const bytes = await readPlainFile(file, limits.snapshotFileBytes).catch((error: Error) => error);
  if (bytes instanceof Error) return { text: `(not readable: ${bytes.message})`, digest: null };
  return shownContent(bytes, mask);
}

/** Secrets are masked before anything is cut. */
function shownContent(bytes: Buffer, mask: Mask): { readonly text: string; readonly digest: string } {
  const digest = hash("sha256", bytes, "hex");
  if (!isUtf8(bytes)) return { text: `(${bytes.length} bytes, no text)`, digest };
  return { text: clip(mask(bytes.toString("utf8")), limits.promptValueBytes), digest };
}

async function outputOf(
  command: string,
  context: ActionContext,
  mask: Mask,
): Promise<{ readonly text: string; readonly ended: string }> {
  const spec = {
    argv: ["sh", "-c", command],
    cwd: context.cwd,
    env: await context.environment(),
    timeoutMs: limits.contextCommandMs,
    outputBytes: context.outputBytes,
  };
  const { end, output } = await context.can.processes.run(spec, context.signal);
  const ended = end.kind === "exit" && end.code === 0 ? "" : end.kind === "exit" ? `exit ${end.code}` : end.kind;
  return { text: clip(mask(await wholeText(output, context.can.blobs)), limits.promptValueBytes), ended };
}
