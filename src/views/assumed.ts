import type { Node } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";

/**
 * What a node comes to where everything goes well: with `expect: failure` that is a failure, and of options the first.
 */
export function assumedResult(node: Node | undefined): NodeResult {
  if (node?.expect === "failure") return { outcome: "failure" };
  const option = node === undefined ? undefined : optionsOf(node)[0];
  return option === undefined ? { outcome: "success" } : { outcome: "success", option };
}

function optionsOf(node: Node): readonly string[] {
  if (node.type === "agent") return node.options ?? [];
  return node.type === "human" || node.type === "decide" ? (node.options ?? []).map(({ id }) => id) : [];
}
