import { compile } from "../../graph/plan.ts";
import { fieldRange } from "../../language/source.ts";
import { limits } from "../../model/limits.ts";
import type { Rule } from "../rule.ts";

/** Loops inside loops have a bound; beyond it no engine could tell their passes apart. */
export const loopsTooDeep: Rule = {
  code: "loops-too-deep",
  needs: "graph",
  check({ source, topology }, report) {
    // A plan can be made only of a document in which every node could be read.
    if (topology().loops.length === 0 || source.blueprint.nodes.size !== source.origins.size) return;
    const plan = compile(source.blueprint);
    const id = plan.tooDeep === null ? undefined : plan.ids[plan.tooDeep];
    if (id === undefined) return;
    const message = `Node \`${id}\` lies in loops nested more than ${limits.loopNestingLevels} deep`;
    report(fieldRange(source, id), message, "Split the blueprint, or let one loop have one way back.");
  },
};
