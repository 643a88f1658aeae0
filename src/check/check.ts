import type { Blueprint } from "../model/blueprint.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { compile } from "../graph/plan.ts";
import { problem } from "../language/codes.ts";
import { readDocument } from "../language/document.ts";
import { Suggestions } from "../language/nearest.ts";
import type { NodeTypePlugin } from "../language/read/nodes.ts";
import { ScalarRanges } from "../language/scalar-range.ts";
import type { Source } from "../language/source.ts";
import { Order } from "./order.ts";
import { Problems } from "./problems.ts";
import type { RuleContext } from "./rule.ts";
import { rules } from "./rules.ts";
import { Topology } from "./topology.ts";

export interface CheckOptions {
  /** Node types from outside; their fields are closed and checked like those of the built-in ones. */
  readonly plugins?: readonly NodeTypePlugin[];
  /** Names of known tools; absent = tool names are not checked. */
  readonly tools?: ReadonlySet<string>;
}

export interface CheckResult {
  /** By position; at most `limits.diagnosticsPerFile`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Null if and only if a diagnostic is an error. */
  readonly blueprint: Blueprint | null;
}

/** Checks a document: pure, offline, all problems at once. Any text in; never throws; bounded in time and memory. */
export function check(text: string, options: CheckOptions = {}): CheckResult {
  const problems = new Problems(text);
  const plugins = new Map((options.plugins ?? []).map((plugin) => [plugin.type, plugin]));
  const source = readDocument(text, problems.add, plugins);
  if (source !== null) applyRules(source, options, problems);
  const blueprint = problems.refused ? null : (source?.blueprint ?? null);
  return { diagnostics: problems.sorted(), blueprint };
}

/** Problems that leave edges which do not connect nodes. */
const brokenGraph = [
  "unknown-node",
  "edge-from-end",
  "no-entry",
  "flow-syntax",
  "flow-bracket",
  "no-pipeline",
  "reserved-name",
  "invalid-name",
];

/** A plan can be made only of a document in which every node could be read. */
function orderOf({ blueprint, origins }: Source): Order | null {
  return blueprint.nodes.size === origins.size ? new Order(compile(blueprint)) : null;
}

function applyRules(source: Source, options: CheckOptions, problems: Problems): void {
  let topology: Topology | undefined;
  let order: Order | null | undefined;
  const ranges = new ScalarRanges(source.text);
  const context: RuleContext = {
    source,
    tools: options.tools,
    within: (scalar, from, to) => ranges.within(scalar, from, to),
    topology: () => (topology ??= new Topology(source.blueprint, source.origins.keys())),
    order: () => (order === undefined ? (order = orderOf(source)) : order),
    suggest: new Suggestions().suggest,
  };
  for (const rule of rules) {
    if (rule.needs === "graph" && (!source.graphIsWhole || problems.has(...brokenGraph))) continue;
    rule.check(context, (at, message, hint, related) => problems.add(problem(rule.code, at, message, hint, related)));
  }
}
