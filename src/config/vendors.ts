/**
 * Variables that commonly hold a vendor's key, the usual one first. Looked at only for a vendor that somebody named.
 */
export const vendorKeys = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  compatible: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type VendorName = keyof typeof vendorKeys;

/** The vendor of a model as vendor/name, or null. */
export function vendorOf(model: string | undefined): VendorName | null {
  const name = model?.slice(0, model.indexOf("/"));
  return Object.keys(vendorKeys).find((known): known is VendorName => known === name) ?? null;
}

/** Variables that may hold the key of a vendor; `named` is the one that a configuration names. */
export function keyNamesOf(vendor: VendorName, named: string | undefined): readonly string[] {
  return named === undefined ? vendorKeys[vendor] : [named];
}
