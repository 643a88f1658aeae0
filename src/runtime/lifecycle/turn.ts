import type { Blueprint } from "../../model/blueprint.ts";
import { limits } from "../../model/limits.ts";
import type { Wanted } from "../../ports/journal.ts";
import type { Given } from "../../ports/secrets.ts";
import { refuse, treeOf } from "../admission/admit.ts";
import type { Refusal, Turn } from "../api.ts";
import type { EngineOptions } from "../options.ts";
import { takenHint } from "./parts.ts";
import { RunValues } from "../values.ts";

/**
 * What a run of its own shares with no other: `concurrency.key`; with nothing but
 * `overlap`, runs of the same blueprint in one tree.
 */
export async function keyOf(
  { name, concurrency, inputs }: Blueprint,
  given: Given,
  cwd: string,
  { can }: Pick<EngineOptions, "can">,
): Promise<{ readonly key: string | null } | Refusal> {
  const { key: template, overlap } = concurrency;
  if (overlap === "allow" || (overlap === undefined && template === undefined)) return { key: null };
  if (template === undefined) return { key: `${name} in ${treeOf(cwd)}` };
  for (const part of template.parts) {
    if (!("ref" in part)) continue;
    const { source, name: read, start, end } = part.ref;
    const written = template.source.slice(start, end);
    if (source !== "task" && source !== "inputs")
      return refuse("bad_input", `concurrency.key reads ${written}, which no run has before it begins`, known);
    if (source === "inputs" && inputs[read]?.sensitive === true)
      return refuse("bad_input", `concurrency.key reads ${written}, which is sensitive`, known);
  }
  const key = await new RunValues({ ...given, results: new Map() }, can.blobs).whole(template);
  if (key.trim() === "") return refuse("bad_input", "concurrency.key is empty for this run", known);
  if (key.length <= limits.concurrencyKeyCharacters) return { key };
  return refuse("bad_input", `concurrency.key is longer than ${limits.concurrencyKeyCharacters} characters`, known);
}

const known = "make it of text, {task} and {inputs.NAME}, so that runs with the same key exclude each other";

/**
 * Waits until nobody stands before a run, where it is to wait at all. Whoever entered leaves when the run comes to
 * nothing; who is to `hold` its place enters too, so that none begins there before the run is in the journal.
 */
export async function inTurn(
  { journal, clock }: Pick<EngineOptions, "journal" | "clock">,
  wanted: Wanted,
  turn: Turn | undefined,
  hold: boolean,
): Promise<Refusal | null> {
  if (wanted.tree === null && wanted.key === null) return null;
  if (turn !== undefined || hold) await journal.enter(wanted);
  for (let told = ""; ;) {
    const ahead = journal.ahead(wanted);
    const [first] = ahead;
    if (first === undefined) return null;
    if (turn === undefined || turn.signal.aborted)
      return { ...refuse("conflict", first.what, takenHint(first)), holder: first.run };
    const now = ahead.map(({ run, waits }) => `${run} ${waits}`).join();
    if (now !== told) turn.ahead(ahead);
    told = now;
    await pause(clock, turn.signal);
  }
}

function pause(clock: EngineOptions["clock"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(limits.queuePollMs, done);
    signal.addEventListener("abort", done);
  });
}
