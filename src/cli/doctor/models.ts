import type { VendorAccess } from "../../config/keys.ts";
import type { VendorName } from "../../config/vendors.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { textWithin } from "../../runtime/http/bounded.ts";

type Models = { readonly models: readonly string[] } | { readonly fault: string };

/** The models that a vendor says it has, by asking it; nothing is billed. */
export async function modelsOf(vendor: VendorName, { baseUrl, apiKey = "" }: VendorAccess): Promise<Models> {
  const { address, headers } = listings[vendor](apiKey);
  try {
    const signal = AbortSignal.timeout(limits.vendorProbeMs);
    const answer = await fetch(`${baseUrl ?? address}/models`, { headers, signal, redirect: "error" });
    const text = await textWithin(answer, limits.vendorProbeBytes);
    if (answer.status === 401 || answer.status === 403) return { fault: `refuses the key (${answer.status})` };
    if (!answer.ok) return { fault: `answered ${answer.status} when it was asked for its models` };
    const names = [...text.matchAll(/"(?:id|name)"\s*:\s*"(?:models\/)?([^"]+)"/g)].map(([, name = ""]) => name);
    return { models: [...new Set(names)] };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { fault: `cannot be reached: ${messageOf(cause)}` };
  }
}

/** How each vendor lists its models. */
const listings: Readonly<
  Record<VendorName, (key: string) => { readonly address: string; readonly headers: Readonly<Record<string, string>> }>
> = {
  anthropic: (key) => ({
    address: "https://api.anthropic.com/v1",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
  }),
  openai: (key) => ({ address: "https://api.openai.com/v1", headers: { authorization: `Bearer ${key}` } }),
  google: (key) => ({
    address: "https://generativelanguage.googleapis.com/v1beta",
    headers: { "x-goog-api-key": key },
  }),
  compatible: (key) => ({ address: "", headers: key === "" ? {} : { authorization: `Bearer ${key}` } }),
};
