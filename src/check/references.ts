import type { Range } from "../model/diagnostic.ts";
import type { Reference } from "../model/template.ts";
import { references } from "../language/template.ts";
import type { RuleContext } from "./rule.ts";

export interface NodeReference {
  readonly ref: Reference;
  readonly written: string;
  /** Nodes that read it: several when a flow uses a name again. */
  readonly users: readonly string[];
  /** Name of the field that holds it, with the path inside. */
  readonly field: string;
  readonly range: () => Range;
}

/** References to nodes that exist, from nodes that exist. */
export function* nodeReferences({ source, within }: RuleContext): Generator<NodeReference> {
  const users = usersOf(source.origins);
  for (const { template, scalar, field, node } of source.templates) {
    if (node === undefined) continue;
    for (const ref of references(template)) {
      if (ref.source !== "node" || !source.origins.has(ref.name)) continue;
      yield {
        ref,
        written: template.source.slice(ref.start, ref.end),
        users: users.get(source.origins.get(node)) ?? [node],
        field,
        range: () => within(scalar, ref.start, ref.end),
      };
    }
  }
}

function usersOf(origins: ReadonlyMap<string, unknown>): ReadonlyMap<unknown, readonly string[]> {
  const users = new Map<unknown, string[]>();
  for (const [id, origin] of origins) {
    const others = users.get(origin);
    if (others === undefined) users.set(origin, [id]);
    else others.push(id);
  }
  return users;
}
