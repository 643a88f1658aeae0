import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";
import { clip, oneLine } from "../runtime/text.ts";

/**
 * What earlier attempts of a pass did, for the next one to go on from: its calls in order, what it changed, and its
 * last words. Null where it did nothing worth telling.
 */
export async function toldOf(events: readonly AgentEvent[]): Promise<string | null> {
  const calls = events.flatMap(callLine);
  const changes = await changesIn(events);
  const said = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
  if (calls.length === 0 && changes === "" && said.trim() === "") return null;
  const parts = [
    "An earlier attempt of this was broken off. Look at what there is before you go on: what it changed may have been taken back.",
    calls.length === 0 ? "" : `What it did:\n${calls.join("\n")}`,
    changes === "" ? "" : `What it changed:\n${changes}`,
    said.trim() === "" ? "" : `What it said last:\n${said.trim().slice(-limits.trailSaidCharacters)}`,
  ];
  return clip(parts.filter((part) => part !== "").join("\n\n"), limits.trailBytes);
}

function callLine(event: AgentEvent): readonly string[] {
  if (event.type === "tool_call") return [`- ${event.tool} ${oneLine(JSON.stringify(event.input))}`];
  return event.type === "tool_result" && !event.ok ? [`  failed: ${oneLine(event.output)}`] : [];
}

/** One patch a file, from how it was first to how it was last. */
async function changesIn(events: readonly AgentEvent[]): Promise<string> {
  const files = new Map<string, { readonly before: string | null; readonly after: string | null }>();
  for (const event of events) {
    if (event.type !== "diff") continue;
    const { path, before, after } = event;
    const first = files.get(path);
    // Null is how it was: it was not there.
    files.set(path, { before: first === undefined ? before : first.before, after });
  }
  if (files.size === 0) return "";
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patches = [...files].map(([path, { before, after }]) => {
    const [from, to] = [before === null ? "/dev/null" : path, after === null ? "/dev/null" : path];
    const options = { timeout: limits.trailPatchMs, headerOptions: FILE_HEADERS_ONLY };
    return (
      createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options) ?? `${path} changed\n`
    );
  });
  return patches.map((patch) => clip(patch, limits.trailPatchBytes)).join("");
}
