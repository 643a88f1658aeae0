import type { Node } from "./node.ts";
import { classOf } from "./node.ts";
import { limits } from "./limits.ts";

/** Milliseconds that an attempt of a node may take, or null where it may take as long as it likes. */
export function timeoutOf(node: Node): number | null {
  if (node.timeoutMs !== undefined) return node.timeoutMs;
  if (node.type === "wait") return null;
  switch (classOf(node)) {
    case "agentic":
      return limits.agenticTimeoutMs;
    case "human":
    case "wrapper":
      return null;
    case "deterministic":
    case "decision":
      return limits.deterministicTimeoutMs;
  }
}
