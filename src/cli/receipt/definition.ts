import { check } from "../../check/check.ts";
import { canonical } from "../../language/canonical.ts";
import type { NodeTypePlugin } from "../../language/plugin-node.ts";
import { withPins } from "../documents/callees.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Bound } from "../../model/bound.ts";
import { standIns } from "../plugins/stand-ins.ts";
import { sha256 } from "./text.ts";

export interface ReadDefinition {
  readonly blueprint: Blueprint;
  /** Its hash. */
  readonly content: string;
  /** Node types of plug-ins in it. */
  readonly outside: readonly string[];
}

/**
 * A definition as a run was bound to it; null where this version does not read it. Node types of
 * plug-ins, which nobody has here, are taken as the document has them: of those that it can be read
 * with, what gives the content hash of the binding, else the first.
 */
export function readDefinition(text: string, binding: Bound | undefined): ReadDefinition | null {
  const plain = readWith(text, [], binding);
  if (plain !== null) return plain;
  let first: ReadDefinition | null = null;
  for (const plugins of standIns(text)) {
    const read = readWith(text, plugins, binding);
    if (read?.content === binding?.contentHash) return read;
    first ??= read;
  }
  return first;
}

function readWith(text: string, plugins: readonly NodeTypePlugin[], binding: Bound | undefined): ReadDefinition | null {
  const { blueprint } = check(text, { plugins });
  if (blueprint === null) return null;
  // The content of a blueprint covers that of what it calls.
  const content = sha256(canonical(withPins(blueprint, binding?.calls ?? {})));
  return { blueprint, content, outside: plugins.map(({ type }) => type) };
}
