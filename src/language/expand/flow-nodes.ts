import { classOf } from "../../model/node.ts";
import type { Range } from "../../model/diagnostic.ts";
import { limits } from "../../model/limits.ts";
import type { NodeReading } from "../draft.ts";
import type { Reading } from "../read/reading.ts";
import { ScalarRanges } from "../scalar-range.ts";
import type { LocatedEdge, NodeOrigin } from "../source.ts";
import { stockNodes } from "../stock/set.ts";
import type { Located, LocatedScalar } from "../tree.ts";
import { entryOf, quote } from "../tree.ts";
import type { FlowNode, FlowStep } from "./flow.ts";
import { flowEdges, parseFlow } from "./flow.ts";

/** A flow that was read, with the place of every name. */
export interface LocatedFlow {
  readonly scalar: LocatedScalar;
  readonly steps: readonly FlowStep[];
  readonly rangeOf: (part: FlowNode | FlowStep) => Range;
}

/** Reads `flow`; null after it has reported why it cannot be. */
export function readFlow(text: string, flow: Located, reading: Reading): LocatedFlow | null {
  if (flow.kind !== "scalar" || typeof flow.value !== "string") {
    reading.wrongType(flow, "flow", "text such as a -> [b] -> c", 'Put the flow into quotes: flow: "(a & b) -> c"');
    return null;
  }
  const parsed = parseFlow(flow.value);
  const ranges = new ScalarRanges(text);
  if ("problem" in parsed) {
    const { code, start, end, message, hint } = parsed.problem;
    reading.problem(code, ranges.within(flow, start, end), message, hint);
    return null;
  }
  // In ascending order, so that the text is walked once.
  const known = new Map<FlowNode | FlowStep, Range>();
  for (const step of parsed.steps) {
    known.set(step, ranges.within(flow, step.start, step.end));
    for (const node of step.nodes) known.set(node, ranges.within(flow, node.start, node.end));
  }
  const first = parsed.steps[0];
  if (first !== undefined && first.nodes.length > 1) {
    const message = "A flow begins with one node, not with a group";
    reading.graphIsWhole = false;
    reading.problem(
      "flow-syntax",
      known.get(first) ?? flow,
      message,
      "Put a node before the group that both sides follow.",
    );
  }
  if (known.size > 2 * limits.nodesPerBlueprint) {
    reading.problem("invalid-value", flow, `The flow names more than ${limits.nodesPerBlueprint} nodes`);
    return null;
  }
  return { scalar: flow, steps: parsed.steps, rangeOf: (part) => known.get(part) ?? flow.range };
}

/**
 * Edges of a flow. A name that is used again becomes a node of its own with the same definition, and a deterministic
 * node in a bracket gets cap 1: both are added to `nodes` and `origins`.
 */
export function expandFlow(
  { scalar, steps, rangeOf }: LocatedFlow,
  origins: Map<string, NodeOrigin>,
  nodes: Map<string, NodeReading>,
  reading: Reading,
): LocatedEdge[] {
  const definitions = new Map(nodes);
  for (const [index, step] of steps.entries()) {
    for (const node of step.nodes) {
      addNode(node, scalar, rangeOf(node), origins, reading);
      const definition = definitions.get(node.id) ?? definitions.get(node.name);
      if (definition !== undefined) nodes.set(node.id, placed(definition, node.id, step.bracket));
    }
    const before = steps[index - 1];
    if (step.bracket && before !== undefined) checkBracket(step, before, rangeOf(step), nodes, reading);
  }
  const edges = flowEdges(steps, rangeOf);
  if (edges.length <= limits.edgesPerBlueprint) return edges;
  reading.graphIsWhole = false;
  reading.problem("invalid-value", scalar, `The flow stands for more than ${limits.edgesPerBlueprint} edges`);
  return [];
}

function addNode(
  node: FlowNode,
  flow: LocatedScalar,
  range: Range,
  origins: Map<string, NodeOrigin>,
  reading: Reading,
): void {
  const origin = origins.get(node.id) ?? origins.get(node.name);
  if (origin === undefined) {
    const message = `The flow names ${quote(node.name)}, which is not defined${reading.suggest(node.name, [...origins.keys(), ...stockNodes().keys()])}`;
    reading.problem("unknown-node", range, message, `Define it: nodes: {${node.name}: {type: script, run: …}}`);
    // Known from here on, so that one typo is one problem; a node that was meant by it may seem to lie on no path.
    reading.graphIsWhole = false;
    origins.set(node.name, { key: { ...flow, range }, value: flow });
    return;
  }
  const next = entryOf(origin.value, "next");
  if (next !== undefined && node.id === node.name) {
    const message = `Node \`${node.name}\` has \`next\` and stands in the flow`;
    reading.problem("two-forms", next.key, message, "Remove `next`: the flow says what follows.");
  }
  origins.set(node.id, origin);
}

/** A deterministic node in a bracket runs once; an agentic one has its own cap. */
function placed(read: NodeReading, id: string, bracket: boolean): NodeReading {
  const { node } = read;
  const once = bracket && classOf(node) !== "agentic" && node.cap === undefined ? { cap: 1 } : {};
  return read.whole
    ? { whole: true, node: { ...read.node, id, ...once } }
    : { whole: false, node: { ...read.node, id, ...once } };
}

function checkBracket(
  step: FlowStep,
  before: FlowStep,
  range: Range,
  nodes: ReadonlyMap<string, NodeReading>,
  reading: Reading,
): void {
  for (const check of before.nodes) {
    const read = nodes.get(check.id);
    if (read === undefined || classOf(read.node) !== "agentic") continue;
    const message = `The bracket [${step.nodes[0]?.name}] follows the agentic node \`${check.name}\`; it must follow a deterministic check`;
    reading.graphIsWhole = false;
    reading.problem("flow-bracket", range, message, "Put a check between them: implement -> test -> [fix-ci]");
  }
}
