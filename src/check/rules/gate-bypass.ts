import { classOf } from "../../model/node.ts";
import type { Draft } from "../../language/draft.ts";
import type { Source } from "../../language/source.ts";
import type { Order } from "../order.ts";
import type { Rule } from "../rule.ts";
import type { Topology } from "../topology.ts";

/**
 * A check stands between an agent's work and a gate, but after the gate a way back to it leads through an agent and
 * past the check: the second time, what is approved was not checked.
 */
export const gateBypass: Rule = {
  code: "gate-bypass",
  needs: "paths",
  check({ source, topology, order }, report) {
    const gates = [...source.drafts.values()].filter(
      (node) => node.type === "human" && node.mode !== undefined && node.mode !== "input",
    );
    if (gates.length === 0) return;
    const checks = nearestChecks(source, order());
    for (const gate of gates) {
      const check = checks.get(gate.id);
      const agent = check && agentOnTheWayBack(gate.id, check.id, source, topology(), order());
      const edge = agent && source.edges.find((each) => each.edge.to === gate.id && each.edge.from === agent.last);
      if (check === undefined || agent === undefined || edge === undefined) continue;
      const message = `After gate \`${gate.id}\`, the way back by \`${agent.id}\` does not lead through the check \`${check.id}\``;
      report(edge.to, message, `Lead it to \`${check.id}\`, so that what is approved has been checked.`);
    }
  },
};

/** By node, the last deterministic node with a failure of its own that every way to it passes, after an agent. */
function nearestChecks({ blueprint, drafts }: Source, order: Order): ReadonlyMap<string, Draft> {
  const routed = new Set(
    blueprint.edges.flatMap(({ from, when }) => (when === "success" || when === "failure" ? [from] : [])),
  );
  const checks = new Map<string, Draft>();
  const afterAgent = new Set<string>();
  for (const id of order.reached) {
    const above = order.above(id);
    if (above === undefined) continue;
    const node = drafts.get(above);
    if (afterAgent.has(above) || (node !== undefined && classOf(node) === "agentic")) afterAgent.add(id);
    const checking = node?.type === "script" || node?.type === "exec" || node?.type === "tool";
    const check = checking && routed.has(above) && afterAgent.has(above) ? node : checks.get(above);
    if (check !== undefined) checks.set(id, check);
  }
  return checks;
}

interface WayBack {
  /** An agentic node on it. */
  readonly id: string;
  /** The node before the gate. */
  readonly last: string;
}

/** A way from the gate to itself through an agentic node that avoids the check. It stays in the loop of the gate. */
function agentOnTheWayBack(
  gate: string,
  check: string,
  { drafts }: Source,
  graph: Topology,
  order: Order,
): WayBack | undefined {
  const start = graph.indexOf.get(gate) ?? -1;
  const avoid = graph.indexOf.get(check) ?? -1;
  const loop = graph.loops[graph.loopOf[start] ?? -1];
  if (loop === undefined || !order.mayVisit(loop.length)) return undefined;
  const agentOf = new Map<number, string | null>([[start, null]]);
  const open = [start];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const agent = agentOf.get(index) ?? null;
    for (const next of graph.successors[index] ?? []) {
      if (!graph.inOneLoop(start, next)) continue;
      if (next === start && agent !== null) return { id: agent, last: graph.ids[index] ?? "" };
      const node = drafts.get(graph.ids[next] ?? "");
      const now = agent ?? (node !== undefined && classOf(node) === "agentic" ? node.id : null);
      const known = agentOf.get(next);
      if (next === avoid || next === start || (known !== undefined && (known !== null || now === null))) continue;
      agentOf.set(next, now);
      open.push(next);
    }
  }
  return undefined;
}
