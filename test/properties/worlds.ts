import fc from "fast-check";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import type { Attempt } from "../../src/model/attempt.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { World } from "./driver.ts";
import { blueprintOf } from "./graphs.ts";
import type { Sample } from "./streams.ts";
import { pick, samples } from "./streams.ts";

/** A blueprint that uses everything the engine knows, and a world in which everything goes wrong now and then. */
export interface Hazard {
  readonly sample: Sample;
  readonly blueprint: Blueprint;
  readonly world: World;
}

interface Trait {
  readonly kind: "script" | "agent" | "human";
  readonly cap: number | undefined;
  readonly retry: number;
  readonly join: "live" | "any" | 2 | undefined;
  readonly losers: "cancel" | "drain";
  readonly expect: "failure" | undefined;
  readonly idempotent: boolean;
}

/** Mostly the first. */
function often<const T, const U extends readonly unknown[]>(usual: T, ...others: U): fc.Arbitrary<T | U[number]> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const trait: fc.Arbitrary<Trait> = fc.record({
  kind: often("script", "agent", "human"),
  cap: often(undefined, 1, 2, 3),
  retry: fc.constantFrom(0, 0, 1, 3),
  join: often(undefined, "live", "any", 2),
  losers: often("cancel", "drain"),
  expect: often(undefined, "failure"),
  idempotent: fc.boolean(),
});

const used = { inputTokens: 10, outputTokens: 5, turns: 1 };

const result: fc.Arbitrary<NodeResult> = fc.oneof(
  { weight: 16, arbitrary: fc.constant<NodeResult>({ outcome: "success" }) },
  { weight: 4, arbitrary: fc.constant<NodeResult>({ outcome: "failure", reason: { code: "exit", text: "exit 1" } }) },
  { weight: 1, arbitrary: fc.constant<NodeResult>({ outcome: "failure", reason: { code: "declined", text: "no" } }) },
  { weight: 2, arbitrary: fc.boolean().map((beforeEffect): NodeResult => ({ outcome: "error", beforeEffect })) },
  { weight: 1, arbitrary: fc.constant<NodeResult>({ outcome: "success", option: "yes", usage: used }) },
);

export const hazards: fc.Arbitrary<Hazard> = samples(10, true).chain((sample) =>
  fc
    .record({
      traits: fc.array(trait, { minLength: sample.ids.length, maxLength: sample.ids.length }),
      results: fc.array(fc.array(result, { minLength: 3, maxLength: 3 }), { minLength: 16, maxLength: 16 }),
      parallel: fc.constantFrom(1, 2, 8),
      steps: often(40, 1, 7),
      escalate: fc.constantFrom<Blueprint["escalate"]>(["cap"], [], ["cap", "error", "failure"]),
      timeMs: often(100_000, 20),
      stopAt: often(null, 0, 3, 8),
    })
    .map(({ traits, results, parallel, steps, escalate, timeMs, stopAt }): Hazard => {
      const settings = { limits: { parallel, steps, timeMs, retries: 1 }, escalate };
      const overrides = Object.fromEntries(sample.ids.map((id, index) => [id, nodeOf(traits[index])] as const));
      return {
        sample,
        blueprint: blueprintOf(sample.ids, sample.edges, settings, overrides),
        world: {
          result: (attempt) => resultOf(sample, results, attempt),
          ticks: ({ node, pass }) => pick(sample.ticks[node] ?? [1], pass),
          outside: new Map(stopAt === null ? [] : [[stopAt, { type: "run.stop_requested", by: "test" }]]),
        },
      };
    }),
);

function nodeOf(trait: Trait | undefined): Partial<Node> {
  if (trait === undefined) return {};
  const { kind, cap, join, expect, retry, losers, idempotent } = trait;
  const optional = {
    ...(cap === undefined ? {} : { cap }),
    ...(join === undefined ? {} : { join }),
    ...(expect === undefined ? {} : { expect }),
  };
  return { type: kind, retry, losers, idempotent, ...optional };
}

function resultOf(
  sample: Sample,
  results: readonly (readonly NodeResult[])[],
  { node, pass, attempt }: Attempt,
): NodeResult {
  return pick(results[sample.ids.indexOf(node)] ?? [], pass + attempt - 1);
}
