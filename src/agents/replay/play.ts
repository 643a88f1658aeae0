import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import type { AgentRequest, AgentResult } from "../../ports/provider.ts";
import { limits } from "../../model/limits.ts";
import { messageOf, systemCode } from "../../model/thrown.ts";
import { readPlainFile, realOf } from "../../runtime/tree/plain-file.ts";
import { maskedJson } from "../events.ts";
import { cancelled, untouched } from "../ending.ts";
import { oneLine, type Mask } from "../../runtime/text.ts";
import { applyChanges, mismatchOf } from "./apply.ts";
import { headOf, parseCassette, type Cassette, type CassetteHead } from "./cassette.ts";
import { cassetteName } from "./name.ts";
import { placesOf } from "./places.ts";

export interface Tapes {
  /** Absolute folder of the cassettes. */
  readonly folder: string;
  /** Plays what was recorded for another request too, and says in what it differs. */
  readonly loose: boolean;
}

/**
 * Plays the cassette of a node's pass: says what was said and changes what was changed, or refuses and changes nothing.
 * Files that are not as they were recorded are refused also under `loose`: the changes would be made to something else.
 */
export async function replay(
  { folder, loose }: Tapes,
  mask: Mask,
  request: AgentRequest,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<AgentResult> {
  try {
    const cassette = await load(folder, request);
    if ("problem" in cassette) return mismatch(cassette.problem);
    const places = placesOf(request.workspace);
    const now = headOf(request, places.abstract(mask(request.prompt)), cassette.head.provider, (text) => text);
    const name = cassetteName(request.node, request.pass);
    const other = difference(cassette.head, now);
    if (other !== null && !loose) return mismatch(`${name} does not fit: ${other}; ${ways}`);
    const differs = await mismatchOf(request.workspace, cassette.files);
    if (differs !== null) return mismatch(`${name} does not fit: ${differs}`);
    if (signal.aborted) return { ...untouched, ...cancelled };
    const stop = cassette.events.findLastIndex((event) => event.type === "stop");
    const spoken = stop < 0 ? cassette.events : cassette.events.slice(0, stop);
    // Plain data, of which only strings change.
    const here = <T>(value: T): T => maskedJson(value as Json, (text) => places.concrete(text)) as T;
    if (other !== null) emit({ type: "text", text: await told(name, other, cassette.head, now) });
    for (const event of spoken) emit(here(event));
    return await finish(request, here(cassette), spoken.length, emit);
  } catch (error) {
    return mismatch(`cannot be played: ${messageOf(error)}`);
  }
}

/** Changes the files, then says the end of the recording, whatever of it came after the changes. */
async function finish(
  request: AgentRequest,
  { events, files, result }: Cassette,
  from: number,
  emit: (event: AgentEvent) => void,
): Promise<AgentResult> {
  try {
    await applyChanges(request.workspace, files);
  } catch (error) {
    const why = `the recorded changes cannot be made: ${messageOf(error)}`;
    return { ...untouched, outcome: "error", reason: { code: "tool_error", text: oneLine(why) }, beforeEffect: false };
  }
  for (const event of events.slice(from)) emit(event);
  return result;
}

async function load(folder: string, request: AgentRequest): Promise<Cassette | { readonly problem: string }> {
  const name = cassetteName(request.node, request.pass);
  const file = join(folder, name);
  try {
    const bytes = await readPlainFile(realOf(file) ?? file, limits.cassetteBytes);
    const cassette = parseCassette(bytes.toString("utf8"));
    return "problem" in cassette ? { problem: `${name} ${cassette.problem}` } : cassette;
  } catch (error) {
    if (systemCode(error) !== "ENOENT") return { problem: `${name} cannot be read: ${messageOf(error)}` };
    const there = (await readdir(folder)).filter((one) => one.endsWith(".jsonl")).toSorted();
    return { problem: `there is no ${name} in ${folder}; there is: ${there.join(", ") || "nothing"}` };
  }
}

/** What differs between the request that was recorded and this one, or null. */
function difference(recorded: CassetteHead, now: CassetteHead): string | null {
  if (recorded.prompt.digest !== now.prompt.digest) return promptDifference(recorded.prompt.text, now.prompt.text);
  if (recorded.inputs.digest === now.inputs.digest) return null;
  const [was, is] = [recorded.inputs.value, now.inputs.value];
  const key = Object.keys(is).find((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  return key === undefined
    ? "its inputs differ"
    : `${key} was ${JSON.stringify(was[key])} and is ${JSON.stringify(is[key])}`;
}

function promptDifference(recorded: string, now: string): string {
  const [was, is] = [recorded.split("\n"), now.split("\n")];
  const line = is.findIndex((text, index) => text !== was[index]);
  const at = line < 0 ? is.length : line;
  return `the prompt differs in line ${at + 1}, which was ${quoted(was[at])} and is ${quoted(is[at])}`;
}

const ways = "record it anew with --record, or play it all the same with --loose";

/** In what a cassette differs that is played all the same. A view of one line shows the last. */
async function told(name: string, differs: string, recorded: CassetteHead, now: CassetteHead): Promise<string> {
  const said = `${name} does not fit and is played all the same: ${differs}\n`;
  if (recorded.prompt.digest === now.prompt.digest) return said;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const options = { headerOptions: FILE_HEADERS_ONLY, maxEditLength: limits.promptDiffLines };
  const [was, is] = [recorded.prompt.text, now.prompt.text];
  const patch = createTwoFilesPatch("recorded prompt", "prompt", was, is, undefined, undefined, options) ?? "";
  return `${said}${patch}${name} is played all the same, though ${differs}\n`;
}

function quoted(line: string | undefined): string {
  if (line === undefined) return "not there";
  return JSON.stringify(line.length <= 80 ? line : `${line.slice(0, 79)}…`);
}

function mismatch(why: string): AgentResult {
  return { ...untouched, outcome: "error", reason: { code: "cassette_mismatch", text: oneLine(why) } };
}
