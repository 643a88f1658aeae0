import { allNodes } from "../../model/node.ts";
import type { Blueprint } from "../../model/blueprint.ts";

const known = new WeakMap<Blueprint, ReadonlySet<string>>();

/** All names in `secrets:` of a document; found once, however many nodes ask. */
export function namedSecrets(blueprint: Blueprint): ReadonlySet<string> {
  const before = known.get(blueprint);
  if (before !== undefined) return before;
  const names = new Set([...allNodes(blueprint)].flatMap(({ secrets }) => secrets ?? []));
  known.set(blueprint, names);
  return names;
}

export function isSensitive(blueprint: Blueprint, input: string): boolean {
  return blueprint.inputs[input]?.sensitive === true;
}
