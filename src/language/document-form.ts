import { watchKeys } from "./fields/document.ts";
import type { Reading } from "./read/reading.ts";
import type { LocatedMap } from "./tree.ts";
import { describe, entryOf } from "./tree.ts";

/**
 * Whether a document is one of this format, and says what runs in exactly one way. `refused` are keys of
 * the top level from whose absence nothing follows.
 */
export function checkForm(root: LocatedMap, refused: ReadonlySet<string>, reading: Reading): void {
  checkVersion(root, reading);
  checkWatches(root, reading);
  checkFlow(root, reading);
  checkContent(root, refused, reading);
}

function checkVersion(root: LocatedMap, reading: Reading): void {
  const version = entryOf(root, "blueprint")?.value;
  if (version === undefined || (version.kind === "scalar" && version.value === 2)) return;
  const message = `\`blueprint\` is the version of the format and must be 2, not ${describe(version)}`;
  const hint = "Remove the key, or write `blueprint: 2`; older formats are not converted.";
  reading.problem("invalid-value", version, message, hint);
}

function checkWatches(root: LocatedMap, reading: Reading): void {
  for (const key of watchKeys) {
    const entry = entryOf(root, key);
    if (entry === undefined) continue;
    const message = `\`${key}\` belongs to watches and triggers, which this version does not run`;
    const hint = "Remove it: what starts a run calls `trammel run`, a scheduler or CI for instance.";
    reading.problem("no-pipeline", entry.key, message, hint);
  }
}

function checkFlow(root: LocatedMap, reading: Reading): void {
  if (entryOf(root, "flow") === undefined) return;
  for (const key of ["edges", "entry"] as const) {
    const beside = entryOf(root, key)?.key;
    const message = `\`${key}\` beside \`flow\`: the flow already says it`;
    if (beside !== undefined) reading.problem("two-forms", beside, message, `Remove \`${key}\` or \`flow\`.`);
  }
}

/** A watch is something to run, though not here. */
function checkContent(root: LocatedMap, refused: ReadonlySet<string>, reading: Reading): void {
  const something = ["flow", "nodes", ...watchKeys].some((key) => entryOf(root, key) !== undefined);
  if (something || refused.has("nodes") || refused.has("flow")) return;
  const message = "The document has neither `nodes` nor `flow`, so there is nothing to run";
  reading.problem("no-pipeline", root.entries[0]?.key ?? root, message, "Add `nodes:` and `edges:`, or `flow:`.");
}
