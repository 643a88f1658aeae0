import fc from "fast-check";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Edge } from "../../src/model/edge.ts";
import type { Node } from "../../src/model/node.ts";
import type { NodeSettled } from "../../src/model/events.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import { agentic, gate, plain } from "../runs/blueprints.ts";
import { calling, mapping, template } from "../runs/inside.ts";
import { samples } from "./streams.ts";

/** A blueprint with calls, maps, gates, caps and budgets, what its nodes come to, and where its engines die. */
export interface WholeRun {
  readonly blueprint: Blueprint;
  readonly callee: Blueprint;
  /** Of the attempts of a node, one after the other, from the first again after the last. */
  readonly results: readonly NodeResult[];
  /** Commits after or before which an engine dies, one engine after the other. */
  readonly deaths: readonly { readonly commit: number; readonly when: "before" | "after" }[];
  readonly settle: readonly NodeSettled["as"][];
  /** After so many events a person stops it. */
  readonly stopAt: number | null;
}

type Kind = "plugin" | "agent" | "human" | "call" | "map" | "idempotent";

const used = { inputTokens: 10, outputTokens: 5, turns: 1 };
const result: fc.Arbitrary<NodeResult> = fc.oneof(
  { weight: 14, arbitrary: fc.constant<NodeResult>({ outcome: "success" }) },
  { weight: 2, arbitrary: fc.constant<NodeResult>({ outcome: "success", usage: used }) },
  { weight: 3, arbitrary: fc.constant<NodeResult>({ outcome: "failure", reason: { code: "exit", text: "exit 1" } }) },
  { weight: 1, arbitrary: fc.constant<NodeResult>({ outcome: "failure", reason: { code: "declined", text: "no" } }) },
  { weight: 1, arbitrary: fc.constant<NodeResult>({ outcome: "error", beforeEffect: true }) },
);

/** Every blueprint has a list to map over. */
const items = { items: { type: { kind: "json" }, default: [1, 2] } } as const;

function graphOf(
  {
    ids,
    edges,
  }: { readonly ids: readonly string[]; readonly edges: readonly (readonly [string, string | null, string])[] },
  kinds: readonly Kind[],
  caps: readonly number[],
): Pick<Blueprint, "entry" | "nodes" | "edges"> {
  const nodes = ids.map((id, i): Node => nodeOf(id, kinds[i] ?? "plugin", caps[i] ?? 2));
  return {
    entry: ids[0] ?? "a",
    nodes: new Map(nodes.map((node) => [node.id, node])),
    edges: edges.map(([from, when, to]): Edge => (when === null ? { from, to } : { from, to, when })),
  };
}

function nodeOf(id: string, kind: Kind, cap: number): Node {
  switch (kind) {
    case "plugin":
      return plain(id);
    case "idempotent":
      return plain(id, { idempotent: true, retry: 1 });
    case "agent":
      return agentic(id, { cap });
    case "human":
      return gate(id);
    case "call":
      return calling(id, "callee");
    case "map": {
      const body = {
        entry: "in",
        nodes: new Map<string, Node>([
          ["in", agentic("in", { cap })],
          ["on", plain("on")],
        ]),
        edges: [{ from: "in", to: "on" }],
      };
      return mapping(id, { over: template("{inputs.items}"), do: body, parallel: cap });
    }
  }
}

const anyKind = fc.constantFrom<Kind>("plugin", "plugin", "agent", "human", "call", "map", "idempotent");
const innerKind = fc.constantFrom<Kind>("plugin", "agent", "human", "map", "idempotent");
const cap = fc.integer({ min: 1, max: 3 });

export const wholeRuns: fc.Arbitrary<WholeRun> = fc
  .record({
    top: samples(5, true),
    inner: samples(3, true),
    kinds: fc.array(anyKind, { minLength: 5, maxLength: 5 }),
    innerKinds: fc.array(innerKind, { minLength: 3, maxLength: 3 }),
    caps: fc.array(cap, { minLength: 5, maxLength: 5 }),
    results: fc.array(result, { minLength: 12, maxLength: 12 }),
    deaths: fc.array(
      fc.record({
        commit: fc.integer({ min: 1, max: 12 }),
        when: fc.constantFrom("before" as const, "after" as const),
      }),
      { maxLength: 3 },
    ),
    settle: fc.array(fc.constantFrom<NodeSettled["as"]>("done", "failed", "again"), { minLength: 4, maxLength: 4 }),
    limits: fc.constantFrom<Blueprint["limits"]>({ steps: 25 }, { steps: 25, tokens: 40 }, { steps: 6, parallel: 1 }),
    escalate: fc.constantFrom<Blueprint["escalate"]>(["cap"], ["cap", "error", "failure"]),
    stopAt: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.integer({ min: 3, max: 30 }) },
    ),
  })
  .map(({ top, inner, kinds, innerKinds, caps, limits, escalate, ...rest }): WholeRun => {
    const common = { inputs: items, outputs: {}, agent: {}, records: {}, workspace: {}, concurrency: {}, escalate };
    return {
      blueprint: { name: "test", limits, ...common, ...graphOf(top, kinds, caps) },
      callee: { name: "callee", limits: { steps: 20 }, ...common, ...graphOf(inner, innerKinds, caps) },
      ...rest,
    };
  });
