import type { CallNode, MapNode, WaitNode } from "../../model/blueprint.ts";
import { soleReference } from "../template.ts";
import type { LocatedMap } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";
import { capital } from "./collections.ts";
import type { Reading } from "./reading.ts";

/** A wait has one of `for` and `until`. */
export function saysWhen({ forMs, until }: WaitNode, map: LocatedMap, reading: Reading): boolean {
  if ((forMs === undefined) !== (until === undefined)) return true;
  if (forMs === undefined)
    reading.problem(
      "missing-field",
      map.entries[0]?.key ?? map,
      `${capital(reading.owner)} has neither \`for\` nor \`until\``,
      "Write for: 10m, or until: 2026-12-01T09:00:00Z.",
    );
  else
    reading.problem(
      "two-forms",
      entryOf(map, "until")?.key ?? map,
      `${capital(reading.owner)} has \`for\` and \`until\``,
      "Remove one of them.",
    );
  return false;
}

/** A call names a blueprint or a solution. */
export function saysWhom({ blueprint, solution }: CallNode, map: LocatedMap, reading: Reading): boolean {
  if ((blueprint === undefined) !== (solution === undefined)) return true;
  const both = blueprint !== undefined;
  reading.problem(
    both ? "two-forms" : "missing-field",
    both ? (entryOf(map, "solution")?.key ?? map) : (map.entries[0]?.key ?? map),
    `${capital(reading.owner)} has ${both ? "`blueprint` and `solution`" : "neither `blueprint` nor `solution`"}`,
    both ? "Remove one of them." : "Write blueprint: path/to/callee.yaml.",
  );
  return false;
}

/** What a map goes over keeps its type only where it is one reference. */
export function saysWhat({ over }: MapNode, map: LocatedMap, reading: Reading): boolean {
  if (soleReference(over) !== undefined) return true;
  const message = `${reading.place("over")} must be one reference to a list, not ${quote(over.source)}`;
  reading.problem("invalid-value", entryOf(map, "over")?.value ?? map, message, 'Write over: "{node}".');
  return false;
}
