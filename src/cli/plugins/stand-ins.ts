import { check } from "../../check/check.ts";
import type { NodeTypePlugin } from "../../language/nodes.ts";
import type { Blueprint } from "../../model/blueprint.ts";

/**
 * What a definition says where the plug-ins that it was made with are gone: a node type that nothing brings stands for one that takes
 * whatever it is given. Good for ending a run, of which nothing is performed; null where that is not what is wrong with it.
 */
export function readWithStandIns(text: string): Blueprint | null {
  const types = new Set<string>();
  const fields: Record<string, NodeTypePlugin["fields"][string]> = {};
  for (let known = -1; known < types.size + Object.keys(fields).length;) {
    known = types.size + Object.keys(fields).length;
    const plugins = [...types].map((type) => ({ type, class: "deterministic", fields }) as const);
    const { blueprint, diagnostics } = check(text, { plugins });
    if (blueprint !== null) return blueprint;
    for (const { code, range } of diagnostics) {
      const word = text.slice(range.start, range.end);
      if (code === "unknown-type") types.add(word);
      else if (code === "unknown-field" && types.size > 0) fields[word] = anything;
    }
  }
  return null;
}

const anything = { type: { kind: "json" }, description: "Whatever it is." } as const;
