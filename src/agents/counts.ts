import { limits } from "../model/limits.ts";
import type { Usage } from "../model/outcome.ts";

/**
 * A count as a provider states it, made whole and bounded by `most`; undefined where it is none (below zero, no
 * number): such a one must be taken as not said, since adding it would give back what was used.
 */
export function soundCount(said: unknown, most: number = limits.reportedTokens): number | undefined {
  const amount = soundAmount(said, most);
  return amount === undefined ? undefined : Math.ceil(amount);
}

/** As {@link soundCount}, with its fraction: an amount of money. */
export function soundAmount(said: unknown, most: number): number | undefined {
  return typeof said === "number" && said >= 0 ? Math.min(said, most) : undefined;
}

/** The usage with sound numbers, or undefined where its tokens are none. A cost that is none is not known. */
export function soundUsage(said: Usage): Usage | undefined {
  const { cost, currency, ...rest } = said;
  const [inputTokens, outputTokens, turns] = [said.inputTokens, said.outputTokens, said.turns].map((one) =>
    soundCount(one),
  );
  if (inputTokens === undefined || outputTokens === undefined || turns === undefined) return undefined;
  const known = soundAmount(cost, limits.reportedCostUnits);
  const money = known === undefined ? {} : { cost: known, ...(currency === undefined ? {} : { currency }) };
  return { ...rest, inputTokens, outputTokens, turns, ...money };
}
