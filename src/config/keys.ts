import type { Config } from "./config.ts";

/** Variables that commonly hold a vendor's key, the usual one first. Looked at only for a vendor that somebody named. */
export const vendorKeys = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  compatible: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type VendorName = keyof typeof vendorKeys;

export interface VendorAccess {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Variables in which the key was looked for, the usual one first. */
  readonly keyNames: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** How each vendor is reached: the configured address and key for the vendor of `agent.model`, the usual variable for the others. */
export function vendorAccess(config: Config, env: Environment): Readonly<Record<VendorName, VendorAccess>> {
  const { model, baseUrl, key } = config.agent;
  const configured = model?.slice(0, model.indexOf("/"));
  const access = (vendor: VendorName): VendorAccess => {
    const mine = vendor === configured;
    const names: readonly string[] = mine && key !== undefined ? [key] : vendorKeys[vendor];
    const apiKey = names.map((name) => env[name]).find((value) => value !== undefined && value !== "");
    return {
      ...(mine && baseUrl !== undefined ? { baseUrl } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
      keyNames: names,
    };
  };
  return {
    anthropic: access("anthropic"),
    openai: access("openai"),
    google: access("google"),
    compatible: access("compatible"),
  };
}
