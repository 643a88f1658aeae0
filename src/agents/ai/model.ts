import type { LanguageModel } from "ai";
import { boundedFetch } from "./bounded-fetch.ts";
import type { AiSettings, ModelChoice } from "./settings.ts";

/**
 * A model object, never a string id, which the SDK would send to a gateway.
 * The vendor's package is loaded at first use.
 */
export type Model = Exclude<LanguageModel, string>;

/**
 * Keys and addresses are always given: left out, the vendor packages would look for them in the environment.
 * Only called with a choice that {@link missingFor} let through.
 */
export async function openModel({ vendor, name }: ModelChoice, settings: AiSettings): Promise<Model> {
  const { baseUrl, apiKey = "" } = settings[vendor] ?? {};
  switch (vendor) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ fetch: boundedFetch, apiKey, baseURL: baseUrl ?? "https://api.anthropic.com/v1" })(name);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ fetch: boundedFetch, apiKey, baseURL: baseUrl ?? "https://api.openai.com/v1" })(name);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({
        fetch: boundedFetch,
        apiKey,
        baseURL: baseUrl ?? "https://generativelanguage.googleapis.com/v1beta",
      })(name);
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const more = { fetch: boundedFetch, includeUsage: true, ...(apiKey === "" ? {} : { apiKey }) };
      return createOpenAICompatible({ name: "compatible", baseURL: baseUrl ?? "", ...more })(name);
    }
  }
}
