import type { Draft } from "../language/draft.ts";

const plain: readonly string[] = ["success", "failure", "error"];

/** Option ids of a node, in the order written. */
export function optionsOf(node: Draft): readonly string[] {
  if (node.type === "agent") return node.options ?? [];
  return node.type === "human" || node.type === "decide" ? (node.options ?? []).map((option) => option.id) : [];
}

/** What `when` can be on an edge from a node; without the node, what it can be on every edge. */
export function outcomesOf(node: Draft | undefined): readonly string[] {
  const options = node === undefined ? [] : optionsOf(node);
  // A decision is never just made: it is one of its options.
  if (node?.type === "decide") return [...options, "other", "error"];
  return options.length === 0 ? plain : [...plain, ...options, "other"];
}
