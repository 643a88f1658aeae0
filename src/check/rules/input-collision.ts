import type { Range } from "../../model/diagnostic.ts";
import { inputVariable } from "../../model/input-variable.ts";
import { valueOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** Inputs reach a process as variables; two must not share one. */
export const inputCollision: Rule = {
  code: "input-collision",
  needs: "document",
  check({ source }, report) {
    const inputs = valueOf(source.root, "inputs");
    if (inputs?.kind !== "map") return;
    const seen = new Map<string, { readonly name: string; readonly range: Range }>();
    for (const { key } of inputs.entries) {
      const variable = inputVariable(key.source);
      const first = seen.get(variable);
      if (first === undefined) seen.set(variable, { name: key.source, range: key.range });
      else {
        const message = `The inputs \`${first.name}\` and \`${key.source}\` would both be the variable ${variable}`;
        report(key.range, message, "Rename one of them.", [{ range: first.range, message: "the other one" }]);
      }
    }
  },
};
