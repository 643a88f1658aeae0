import type { Money } from "../../model/settings.ts";

export const vendors = ["anthropic", "openai", "google", "compatible"] as const;
export type Vendor = (typeof vendors)[number];

export interface VendorSettings {
  /** Replaces the vendor's own address; `compatible` has none of its own. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Variables that may hold the key, to be named where it is absent. */
  readonly keyNames?: readonly string[];
  /** Why a key that is there may not be used. */
  readonly keptBack?: string;
}

/** Comes from configuration and the secrets it names, never from a document or a variable found by accident. */
export type AiSettings = { readonly [V in Vendor]?: VendorSettings };

/** What a model costs for a million tokens; both in one currency. */
export interface Price {
  readonly input: Money;
  readonly output: Money;
}

/** By model as vendor/name. */
export type Prices = Readonly<Record<string, Price>>;

/** Empty where the price is in two currencies, which cannot be summed up. */
export function costOf(
  { input, output }: Price,
  inputTokens: number,
  outputTokens: number,
): { readonly cost?: number; readonly currency?: string } {
  if (input.currency !== output.currency) return {};
  const cost = (inputTokens * input.amount + outputTokens * output.amount) / 1_000_000;
  return { cost, currency: input.currency };
}

export interface ModelChoice {
  readonly vendor: Vendor;
  /** The vendor's own name of the model; may hold slashes. */
  readonly name: string;
}

/** Reads `vendor/name`. */
export function parseModel(model: string): ModelChoice | { readonly problem: string } {
  const slash = model.indexOf("/");
  const vendor = vendors.find((known) => known === model.slice(0, slash));
  const name = model.slice(slash + 1);
  if (slash < 0 || vendor === undefined || name === "") {
    return {
      problem: `model "${model}" must be vendor/name with a vendor of ${vendors.join(", ")}, e.g. anthropic/claude-sonnet-4-5`,
    };
  }
  return { vendor, name };
}

/** Why a model cannot be called with these settings, in one line, and in others what would do; null when it can. */
export function missingFor(model: string | null, settings: AiSettings): string | null {
  if (model === null) return `no model is set${threeWays}`;
  const choice = parseModel(model);
  if ("problem" in choice) return choice.problem;
  const { baseUrl, apiKey, keyNames = [], keptBack } = settings[choice.vendor] ?? {};
  if (keptBack !== undefined) return `model "${model}": ${keptBack}`;
  if (choice.vendor === "compatible")
    return baseUrl === undefined ? `model "${model}" has no address: set its baseUrl${threeWays}` : null;
  if (apiKey !== undefined && apiKey !== "") return null;
  const unset = keyNames.length === 0 ? "" : `: ${keyNames.join(" or ")} is not set`;
  return `model "${model}" has no key${unset}${threeWays}`;
}

/** How a user gets an agent to work, under what is missing. */
const threeWays =
  "\nAny of these will do, in trammel.yaml:\n" +
  "  agent: {model: anthropic/…}    or openai, google; with the vendor's key set\n" +
  "  agent: {provider: claude}      or codex, gemini, …; an agent on the PATH\n" +
  "  agent: {model: compatible/…, baseUrl: …}    an OpenAI-compatible server";
