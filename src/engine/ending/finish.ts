import { item } from "../../graph/ints.ts";
import type { RunFinished } from "../../model/events.ts";
import type { Miss, RunState } from "../state.ts";

/** The end of a run: stopped > escalated > needs attention > limit > rejected > failed > succeeded. */
export function finish(state: RunState): RunFinished {
  const { status, reason } = verdict(state);
  const end = { type: "run.finished", status, walkedPast: walkedPast(state), usage: state.usage } as const;
  return reason === null ? end : { ...end, reason };
}

interface Verdict {
  readonly status: RunFinished["status"];
  readonly reason: string | null;
}

function verdict(state: RunState): Verdict {
  const { halt } = state;
  if (halt !== null && halt.cause !== "rejected")
    return { status: halt.cause, reason: line(halt.node, halt.reason.text) };
  const rejected = firstMiss(state, (miss) => miss.way === "rejected" || (miss.declined && miss.way === "no_edge"));
  if (rejected !== null) return { status: "rejected", reason: rejected };
  const failed = firstMiss(state, (miss) => failing.has(miss.way) && miss.way !== "broken");
  if (failed !== null) return { status: "failed", reason: failed };
  const broken = firstMiss(state, (miss) => miss.way === "broken");
  return broken === null ? { status: "succeeded", reason: null } : { status: "failed", reason: broken };
}

const failing: ReadonlySet<Miss["way"]> = new Set<Miss["way"]>(["no_edge", "end", "as_failed", "broken"]);

/** The first that happened: what came later may be its consequence. */
function firstMiss(state: RunState, is: (miss: Miss) => boolean): string | null {
  for (const [node, miss] of state.misses) {
    if (is(miss)) return line(item(state.plan.ids, node), miss.reason.text);
  }
  return null;
}

/** Failures that an edge took, in id order. */
function walkedPast(state: RunState): string[] {
  const nodes = [...state.misses]
    .filter(([, miss]) => miss.way === "edge" || miss.way === "absorbed")
    .map(([node]) => node);
  return nodes.sort((a, b) => a - b).map((node) => item(state.plan.ids, node));
}

function line(node: string | undefined, text: string): string {
  return node === undefined ? text : `${node}: ${text}`;
}
