import { fieldRange } from "../../language/source.ts";
import { quote } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** Digits of a hash that are shown. */
const shown = 12;

/** A call whose callee is not what `trammel.lock` holds it to: a run refuses it. */
export const changedCallee: Rule = {
  code: "changed-callee",
  needs: "document",
  check({ source, pins, calleeOf }, report) {
    if (pins === undefined) return;
    for (const [id, node] of source.drafts) {
      if (node.type !== "call" || node.blueprint === undefined) continue;
      const pinned = pins.get(node.blueprint);
      const callee = pinned === undefined ? undefined : calleeOf(node.blueprint);
      if (pinned === undefined || callee === undefined || "problem" in callee) continue;
      if (callee.hash === undefined || callee.hash === pinned) continue;
      const message = `Call \`${id}\`: ${quote(node.blueprint)} is not what trammel.lock says: pinned ${pinned.slice(0, shown)}, found ${callee.hash.slice(0, shown)}`;
      const hint = "Look at what changed in it, or in what it calls, then accept it: trammel pin FILE";
      report(fieldRange(source, id, "blueprint"), message, hint);
    }
  },
};
