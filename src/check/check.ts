import type { Blueprint } from "../model/blueprint.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { limits } from "../model/limits.ts";
import { problem } from "../language/codes.ts";
import { readDocument } from "../language/document.ts";
import { didYouMean } from "../language/nearest.ts";
import { LineIndex } from "../language/position.ts";
import type { NodeTypePlugin } from "../language/read/nodes.ts";
import type { Source } from "../language/source.ts";
import { withoutAllowed } from "./allow.ts";
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
  const found: Diagnostic[] = [];
  const plugins = new Map((options.plugins ?? []).map((plugin) => [plugin.type, plugin]));
  const source = readDocument(text, (each) => found.push(each), plugins);
  if (source !== null) applyRules(source, options, found);
  const kept = withoutAllowed(found, text, new LineIndex(text));
  const refused = kept.some((each) => each.severity === "error");
  return { diagnostics: bounded(kept), blueprint: refused ? null : (source?.blueprint ?? null) };
}

/** Problems that mean that edges do not connect nodes. */
const brokenGraph: ReadonlySet<string> = new Set([
  "unknown-node",
  "edge-from-end",
  "no-entry",
  "flow-syntax",
  "flow-bracket",
  "no-pipeline",
  "reserved-name",
]);

function applyRules(source: Source, options: CheckOptions, found: Diagnostic[]): void {
  let topology: Topology | undefined;
  let suggestions: number = limits.diagnosticsPerFile;
  const context: RuleContext = {
    source,
    tools: options.tools,
    topology: () => (topology ??= new Topology(source.blueprint, source.origins.keys())),
    suggest: (word, candidates) => {
      suggestions -= 1;
      return suggestions < 0 ? "" : didYouMean(word, candidates);
    },
  };
  const graph = () =>
    !found.some(
      (each) =>
        brokenGraph.has(each.code) ||
        (each.severity === "error" && source.edges.length === 0 && source.blueprint.nodes.size === 0),
    );
  for (const rule of rules) {
    if (rule.needs === "graph" && !graph()) continue;
    rule.check(context, (at, message, hint, related) => found.push(problem(rule.code, at, message, hint, related)));
  }
}

const rank = { error: 0, warning: 1, note: 2 } as const;

/** By position; when there are too many, errors are kept before warnings and notes, and it is said how many are left out. */
function bounded(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  const byPosition = (a: Diagnostic, b: Diagnostic): number =>
    a.range.start - b.range.start || a.range.end - b.range.end;
  const most = limits.diagnosticsPerFile;
  if (problems.length <= most) return [...problems].sort(byPosition);
  const kept = [...problems].sort((a, b) => rank[a.severity] - rank[b.severity] || byPosition(a, b)).slice(0, most - 1);
  const last = kept.reduce((latest, each) => (each.range.start > latest.range.start ? each : latest));
  const cut = problem(
    "too-many-problems",
    last.range,
    `${problems.length - kept.length} more problems are not shown`,
    "Mend these first.",
  );
  return [...kept.sort(byPosition), cut];
}
