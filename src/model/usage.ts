import type { NodeSettled, NodeUnconfirmed } from "./events.ts";
import type { Budget, NodeResult, SaidUse, Usage } from "./outcome.ts";

export const zeroUsage: Usage = { inputTokens: 0, outputTokens: 0, turns: 0 };

/**
 * The sum. Its cost is unknown where that of one side is, or where they are in two
 * currencies; a side that used nothing has none to be unknown.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  return combined(a, b, 1);
}

/** The options of a decision that say what was used. */
export function usedOptions(budgets: readonly Budget[]): string {
  return budgets.map((of) => (of === "tokens" ? "--used-tokens N" : "--used-cost AMOUNT")).join(" ");
}

/** What is left of the whole without a part of it. */
export function lessUsage(whole: Usage, part: Usage): Usage {
  return combined(whole, part, -1);
}

/** What an attempt used: what its result says, else the last it reported. */
export function usageOf(node: string, result: NodeResult, reported: Usage | undefined): Usage | undefined {
  const said = result.usage ?? reported;
  return said === undefined && result.agent !== undefined ? { ...zeroUsage, unsaid: node } : said;
}

/** Of an attempt whose end nobody knows: what it reported, or that it has said nothing. */
export function usageOfUnconfirmed(
  { node, unsaid }: Pick<NodeUnconfirmed, "node" | "unsaid">,
  reported: Usage | undefined,
): Usage | undefined {
  return reported ?? (unsaid === true ? { ...zeroUsage, unsaid: node } : undefined);
}

/**
 * The sum once a person has decided, who may have said what those have used that had not. Where that was
 * said of a run inside, it counts there.
 */
export function usageDecided(usage: Usage, { used, inside }: Pick<NodeSettled, "used" | "inside">): Usage {
  if (used === undefined && inside?.used === undefined) return usage;
  const { unsaid: _, ...said } = usage;
  return used === undefined ? said : addUsage(said, saidUsage(used));
}

/** Cost is unknown where it is not said. */
export function saidUsage({ tokens = 0, cost }: SaidUse): Usage {
  return { ...zeroUsage, inputTokens: tokens, ...(cost && { cost: cost.amount, currency: cost.currency }) };
}

function unsaidOf(unsaid: string | undefined): Pick<Usage, "unsaid"> {
  return unsaid === undefined ? {} : { unsaid };
}

function combined(a: Usage, b: Usage, sign: 1 | -1): Usage {
  return {
    inputTokens: a.inputTokens + sign * b.inputTokens,
    outputTokens: a.outputTokens + sign * b.outputTokens,
    turns: a.turns + sign * b.turns,
    ...costOf(a, b, sign),
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {}),
    ...unsaidOf(a.unsaid ?? (sign === 1 ? b.unsaid : undefined)),
  };
}

function costOf(a: Usage, b: Usage, sign: 1 | -1): Pick<Usage, "cost" | "currency"> {
  if (isUnused(b)) return known(a.cost, a.currency);
  if (isUnused(a)) return b.cost === undefined ? {} : known(sign * b.cost, b.currency);
  if (a.cost === undefined || b.cost === undefined || a.currency !== b.currency) return {};
  return known(a.cost + sign * b.cost, a.currency);
}

function known(cost: number | undefined, currency: string | undefined): Pick<Usage, "cost" | "currency"> {
  if (cost === undefined) return {};
  return currency === undefined ? { cost } : { cost, currency };
}

function isUnused({ inputTokens, outputTokens, turns, cost }: Usage): boolean {
  return inputTokens === 0 && outputTokens === 0 && turns === 0 && cost === undefined;
}
