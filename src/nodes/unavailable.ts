import type { Node } from "../model/node.ts";
import type { Performer } from "../ports/performer.ts";

/** A node type of the language that this installation cannot carry out: a run with one is refused before it begins. */
export function unavailable(type: Node["type"], cls: Performer["class"], why: string): Performer {
  return {
    type,
    class: cls,
    missing: () => why,
    perform: async () => ({
      outcome: "error",
      reason: { code: "could_not_start", text: `${type}: ${why}` },
      beforeEffect: true,
    }),
  };
}
