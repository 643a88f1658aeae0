import type { CallNode, DecideNode, MapNode, WaitNode } from "../../model/node.ts";
import { soleReference } from "../template.ts";
import type { Located, LocatedMap } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";
import { capital } from "./table.ts";
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

/** A decision looks at one value, and has something to choose and somebody who chooses. */
export function saysWhich({ about, by }: DecideNode, map: LocatedMap, reading: Reading): boolean {
  const faults: (readonly [field: string, words: string, hint: string])[] = [];
  if (soleReference(about) === undefined)
    faults.push(["about", `must be one reference, not ${quote(about.source)}`, 'Write about: "{node}".']);
  if (isEmpty(entryOf(map, "options")?.value)) faults.push(["options", "is empty", "Write options: [bug, feature]."]);
  if (new Set(by).size !== by.length) faults.push(["by", "names somebody twice", "The order is that of asking."]);
  if (by.length === 0) faults.push(["by", "is empty", "Write by: [rules, model], or leave it out."]);
  for (const [field, words, hint] of faults)
    reading.problem("invalid-value", entryOf(map, field)?.value ?? map, `${reading.place(field)} ${words}`, hint);
  return faults.length === 0;
}

function isEmpty(value: Located | undefined): boolean {
  return (value?.kind === "map" && value.entries.length === 0) || (value?.kind === "list" && value.items.length === 0);
}
