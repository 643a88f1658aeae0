import type { Draft } from "../../language/draft.ts";
import { entryOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** A field that every node may have, on a node of a type that never looks at it. */
export const fieldWithoutEffect: Rule = {
  code: "field-without-effect",
  needs: "document",
  check({ source }, report) {
    const seen = new Set<unknown>();
    for (const [id, node] of source.drafts) {
      const written = source.origins.get(id)?.value;
      if (written === undefined || seen.has(written)) continue;
      seen.add(written);
      for (const [field, why, hint] of idleFields(node)) {
        const at = entryOf(written, field)?.key.range;
        if (at !== undefined) report(at, `\`${field}\` has no effect on ${node.type} node \`${id}\`: ${why}`, hint);
      }
    }
  },
};

type Idle = readonly [field: string, why: string, hint: string];

function idleFields(node: Draft): readonly Idle[] {
  switch (node.type) {
    case "tool":
      return [idleInput("a tool takes arguments", "Hand the value in by `args`.")];
    case "agent":
    case "agent_sandbox":
      return [idleInput("an agent reads its prompt", "Put the reference into `prompt`.")];
    case "human":
      return [
        idleInput("a person reads what is asked and shown", "Put the reference into `show`."),
        ["output", "what a person answers has the form of its mode", "Ask with `mode: form` and `fields`."],
        ...(node.progress === undefined && node.effect === undefined ? [idleEnvironment] : []),
      ];
    case "provision":
      return [
        idleInput("it starts no command", "Put it on the exec node that runs the command."),
        ["output", "its output is the id of the sandbox", "Remove it."],
      ];
    case "checkout":
      return [
        idleInput("it starts no command of yours", "Put it on the exec node that runs the command."),
        ["output", "its output is the commit", "Remove it."],
      ];
    case "code":
      return node.output === undefined || node.output.as === "schema" ? [] : [idleFormat];
    default:
      return [];
  }
}

const idleInput = (why: string, hint: string): Idle => ["stdin", why, hint];
const idleEnvironment: Idle = ["env", "it starts no command", "Put a reference that is to be seen into `show`."];
const idleFormat: Idle = [
  "output",
  "what the body returns is the output, as it is",
  "Return a list for lines, or hold what is returned to a schema: output: {files: list<string>}",
];
