import { mkdir, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isUtf8 } from "node:buffer";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { zeroUsage } from "../../model/usage.ts";
import type { AgentProvider, AgentRequest, AgentResult } from "../../ports/provider.ts";
import { maskedJson } from "../events.ts";
import { clip, oneLine, type Mask } from "../../runtime/text.ts";
import { headOf, printCassette, type Cassette, type CassetteFile } from "./cassette.ts";
import { cassetteName, laterCassettes, temporaryName } from "./name.ts";
import { placesOf } from "./places.ts";
import { changedPaths, isExecutable, scanTree, type Tree } from "../../runtime/tree/scan.ts";

export interface RecordOptions {
  /** Absolute folder of the cassettes. */
  readonly folder: string;
  /** Absolute folders whose files are no work of the agent: our own data. */
  readonly except: readonly string[];
  readonly mask: Mask;
}

/**
 * Writes what each run of a provider said and changed, but for what lies in `except`, into `folder`, one
 * cassette a node and pass; a retry takes the place of what it retries, and a first pass that of all
 * later ones of an earlier recording. Refuses before the agent starts where it could not. Agents at work
 * in one folder at a time are each given all changes made meanwhile.
 */
export async function record(
  provider: AgentProvider,
  { folder, except, mask }: RecordOptions,
  request: AgentRequest,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<AgentResult> {
  const own = [folder, ...except];
  let before: Tree;
  try {
    await mkdir(folder, { recursive: true });
    before = await scanTree(request.workspace, { except: own });
  } catch (error) {
    return refused(`the agent cannot be recorded: ${messageOf(error)}`, true);
  }
  const events: AgentEvent[] = [];
  const result = await provider.run(
    request,
    (event) => {
      events.push(event);
      emit(event);
    },
    signal,
  );
  try {
    const files = await changesOf(
      request.workspace,
      before,
      await scanTree(request.workspace, { except: own, known: before }),
    );
    await write(
      join(folder, cassetteName(request.node, request.pass)),
      { request, provider, events, files, result },
      mask,
    );
    if (request.pass === 1) await removeLater(folder, request.node);
    return result;
  } catch (error) {
    return {
      ...result,
      ...refused(`the agent's work could not be recorded: ${messageOf(error)}`, result.beforeEffect),
    };
  }
}

/** Passes of an earlier recording, which this one need not come to. */
async function removeLater(folder: string, node: string): Promise<void> {
  const stale = laterCassettes(await readdir(folder), node);
  await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
}

async function changesOf(root: string, before: Tree, after: Tree): Promise<readonly CassetteFile[]> {
  const paths = changedPaths(before, after);
  if (paths.length > limits.cassetteFiles)
    throw new Error(`it changed ${paths.length} files; at most ${limits.cassetteFiles} are kept`);
  const files: CassetteFile[] = [];
  for (const path of paths) {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.digest === null || is?.digest === null)
      throw new Error(`${path} is larger than ${limits.snapshotFileBytes} bytes`);
    const content = is === undefined ? null : await contentOf(join(root, path), isExecutable(is));
    files.push({ path, before: was?.digest ?? null, after: content });
  }
  return files;
}

async function contentOf(file: string, executable: boolean): Promise<CassetteFile["after"]> {
  const target = await readlink(file).catch(() => null);
  if (target !== null) return { link: target };
  const bytes = await readFile(file);
  return isUtf8(bytes)
    ? { text: bytes.toString("utf8"), executable }
    : { base64: bytes.toString("base64"), executable };
}

interface Recorded {
  readonly request: AgentRequest;
  readonly provider: AgentProvider;
  readonly events: readonly AgentEvent[];
  readonly files: readonly CassetteFile[];
  readonly result: AgentResult;
}

/** Whole or not at all. */
async function write(file: string, recorded: Recorded, mask: Mask): Promise<void> {
  const places = placesOf(recorded.request.workspace);
  const keep = (value: string): string => places.abstract(mask(value));
  const shorten = (value: string): string => clip(value, limits.cassettePromptBytes);
  const { request, provider, ...rest } = recorded;
  const cassette: Cassette = {
    head: headOf(request, keep(request.prompt), provider.name, shorten),
    // Plain data, of which only strings change.
    ...(maskedJson(rest as unknown as Json, keep) as unknown as Omit<Cassette, "head">),
  };
  const printed = printCassette(cassette);
  if (Buffer.byteLength(printed) > limits.cassetteBytes)
    throw new Error(`it is larger than ${limits.cassetteBytes} bytes`);
  const temporary = temporaryName(file);
  try {
    await writeFile(temporary, printed, { flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function refused(why: string, beforeEffect: boolean): AgentResult {
  return {
    outcome: "error",
    reason: { code: "spill", text: oneLine(why) },
    message: "",
    usage: zeroUsage,
    beforeEffect,
  };
}
