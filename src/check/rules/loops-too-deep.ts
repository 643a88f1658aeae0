import { fieldRange } from "../../language/source.ts";
import { limits } from "../../model/limits.ts";
import type { Rule } from "../rule.ts";

/** Loops inside loops have a bound; beyond it no engine could tell their passes apart. */
export const loopsTooDeep: Rule = {
  code: "loops-too-deep",
  needs: "paths",
  check({ source, topology, plan }, report) {
    if (topology().loops.length === 0) return;
    const { tooDeep, ids } = plan();
    const id = tooDeep === null ? undefined : ids[tooDeep];
    if (id === undefined) return;
    const message = `Node \`${id}\` lies in loops nested more than ${limits.loopNestingLevels} deep`;
    report(fieldRange(source, id), message, "Split the blueprint, or let one loop have one way back.");
  },
};
