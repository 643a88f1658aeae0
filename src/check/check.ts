import type { Blueprint } from "../model/blueprint.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan } from "../graph/plan.ts";
import { compile } from "../graph/plan.ts";
import { problem } from "../language/codes.ts";
import { readDocument } from "../language/document.ts";
import type { Draft } from "../language/draft.ts";
import { Suggestions } from "../language/nearest.ts";
import type { NodeTypePlugin } from "../language/plugin-node.ts";
import { ScalarRanges } from "../language/scalar-range.ts";
import type { Source } from "../language/source.ts";
import type { Callee, CalleeOf } from "./callee.ts";
import { decisiveInputs } from "./decisive.ts";
import type { Known } from "./mend.ts";
import { mend } from "./mend.ts";
import { Order } from "./order.ts";
import { Problems } from "./problems.ts";
import type { RuleContext } from "./rule.ts";
import { rules } from "./rules.ts";
import { Topology } from "./topology.ts";

export interface CheckOptions {
  /** Node types from outside; their fields are closed and checked like those of the built-in ones. */
  readonly plugins?: readonly NodeTypePlugin[];
  /** Names of known tools, one that ends in `*` standing for all that begin so; absent = tool names are not checked. */
  readonly tools?: ReadonlySet<string>;
  /**
   * Content hashes that `trammel.lock` pins, by callee as calls name it; absent
   * = there is no lock, and nothing is said of pins.
   */
  readonly pins?: ReadonlyMap<string, string>;
  /** It is looked at as what another one calls: its own callees are held against that one, when it is run. */
  readonly isCallee?: true;
  /** Looks up what a call names; absent = calls are not held against their callees. */
  readonly calleeOf?: CalleeOf;
}

type Found = Exclude<Callee, { readonly problem: string }>;

export interface CheckResult {
  /** By position; at most `limits.diagnosticsPerFile`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Null if and only if a diagnostic is an error. */
  readonly blueprint: Blueprint | null;
}

/** Checks a document: pure, offline, all problems at once. Any text in; never throws; bounded in time and memory. */
export function check(text: string, options: CheckOptions = {}): CheckResult {
  const { diagnostics, blueprint } = checkCallee(text, options);
  return { diagnostics, blueprint };
}

/** The same, and what the inputs of the document decide. */
export function checkCallee(text: string, options: CheckOptions): CheckResult & Required<Pick<Found, "decides">> {
  const problems = new Problems(text);
  const plugins = new Map((options.plugins ?? []).map((plugin) => [plugin.type, plugin]));
  const source = readDocument(text, problems.add, plugins);
  if (source !== null) applyRules(source, options, problems);
  const blueprint = problems.refused ? null : (source?.blueprint ?? null);
  const decides =
    source === null || blueprint === null ? new Map<string, string>() : decisiveInputs(source, options.calleeOf);
  return { diagnostics: problems.sorted(), blueprint, decides };
}

/**
 * Paths depend on joins and on nothing else that nodes say, so that a node which could not be read is as good as any.
 */
function planOf({ blueprint, origins, drafts }: Source): Plan {
  const nodes = new Map(
    [...origins.keys()].map((id) => [id, { id, type: "wait", ...joinOf(drafts.get(id)) } as const]),
  );
  return compile({ ...blueprint, nodes });
}

function joinOf(node: Draft | undefined): Pick<Draft, "join" | "losers"> {
  const { join, losers } = node ?? {};
  return { ...(join === undefined ? {} : { join }), ...(losers === undefined ? {} : { losers }) };
}

const levels = ["document", "edges", "paths"] as const satisfies readonly Known[];

function applyRules(read: Source, options: CheckOptions, problems: Problems): void {
  const { source, known } = mend(read, new Suggestions().nearest);
  const plan = once(() => planOf(source));
  const ranges = new ScalarRanges(source.text);
  const shared = {
    tools: options.tools,
    pins: options.pins,
    isCallee: options.isCallee === true,
    calleeOf: options.calleeOf ?? (() => undefined),
    within: ranges.within.bind(ranges),
    topology: once(() => new Topology(source.blueprint, source.origins.keys())),
    plan,
    order: once(() => new Order(plan())),
    suggest: new Suggestions().suggest,
  };
  const asWritten: RuleContext = { ...shared, source: read };
  const asMeant: RuleContext = { ...shared, source };
  for (const rule of rules) {
    if (levels.indexOf(rule.needs) > levels.indexOf(known)) continue;
    const context = rule.needs === "document" ? asWritten : asMeant;
    rule.check(context, (at, message, hint, related) => {
      problems.add(problem(rule.code, at, message, hint, related));
    });
  }
  for (const body of source.bodies) applyRules({ ...body, outer: source }, options, problems);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
