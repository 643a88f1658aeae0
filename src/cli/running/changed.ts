import type { Config } from "../../config/config.ts";
import type { Difference } from "../../language/differences.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { LookUp } from "../documents/callees.ts";
import type { SourceDocument } from "../documents/document.ts";
import { isProblem } from "../problem.ts";
import { bind, type Prepared, withCalls } from "./prepare.ts";

/** What a run keeps, to be compared with what it is to go on with. */
export interface Kept {
  readonly document: SourceDocument;
  /** What configuration supplied, as text; null where that was not kept. */
  readonly binding: string | null;
  readonly config: Config;
  readonly look: LookUp;
}

/**
 * What another version of a blueprint or its configuration changes, a line for
 * each place, as far as the kept ones can be read.
 */
export async function changesSince(kept: Kept, { blueprint, binding }: Prepared): Promise<readonly string[]> {
  const { valueDifferences } = await import("../../language/differences.ts");
  const configured = kept.binding === null ? [] : valueDifferences(objectOf(kept.binding), objectOf(binding));
  const all = [
    ...(await changesOfBlueprint(kept, blueprint)),
    ...configured.map((one) => ({ ...one, path: `configuration: ${one.path}` })),
  ];
  const lines = all.slice(0, limits.changesShown).map(lineOf);
  return all.length > lines.length ? [...lines, `and ${all.length - lines.length} more`] : lines;
}

async function changesOfBlueprint({ document, config, look }: Kept, now: Blueprint): Promise<readonly Difference[]> {
  const [{ checkDocument }, { differences }] = await Promise.all([
    import("../plugins/plugins.ts"),
    import("../../language/differences.ts"),
  ]);
  const { blueprint } = await checkDocument(document.text, config);
  const resolved = blueprint === null ? null : await withCalls(blueprint, document, look);
  return resolved === null || isProblem(resolved) ? [] : differences(await bind(resolved.blueprint, config), now);
}

/** A binding is an object, as this program wrote it. */
function objectOf(binding: string): JsonObject {
  return JSON.parse(binding) as JsonObject;
}

function lineOf({ path, before, after }: Difference): string {
  if (before === undefined) return isWhole(after) ? `${path} is new` : `${path} is new: ${textOf(after, 0)}`;
  if (after === undefined) return isWhole(before) ? `${path} is gone` : `${path} is gone: ${textOf(before, 0)}`;
  const from = firstDifference(JSON.stringify(before), JSON.stringify(after));
  return `${path}: ${textOf(before, from)} → ${textOf(after, from)}`;
}

/** A node or an edge, whose path says what it is. */
function isWhole(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** As much of a value as fits, around the place at which it differs. */
function textOf(value: Json | undefined, from: number): string {
  const text = JSON.stringify(value);
  const start = Math.max(
    0,
    Math.min(from - limits.changeTextCharacters / 3, text.length - limits.changeTextCharacters),
  );
  const piece = text.slice(start, start + limits.changeTextCharacters).toWellFormed();
  return `${start > 0 ? "…" : ""}${piece}${start + limits.changeTextCharacters < text.length ? "…" : ""}`;
}
