import type { Money } from "../model/settings.ts";

/** Why a limit of cost cannot bound an agent that counts in a currency, null for none; or null where it can. */
export function unknownCost(limit: Money | undefined, currency: string | null, model?: string): string | null {
  if (limit === undefined || currency === limit.currency || currency === "nothing") return null;
  const whose = model === undefined ? "its model" : model;
  const why = currency === null ? `what ${whose} costs is not known` : `${whose} is counted in ${currency}`;
  return `limits.cost is in ${limit.currency}, and ${why}; set prices for it in the configuration, or use limits.tokens`;
}
