import type { Clock } from "../../ports/clock.ts";
import type { AgentProvider } from "../../ports/provider.ts";
import type { Mask } from "../../runtime/text.ts";
import { missingFor, parseModel, type AiSettings, type Price, type Prices } from "./settings.ts";

/** Agents made of a model and our own tools. The SDK is loaded when the first one runs. */
export function createAiProvider(settings: AiSettings, mask: Mask, clock: Clock, prices: Prices = {}): AgentProvider {
  return {
    name: "ai",
    missing: (model) => missingFor(model, settings),
    currencyOf: (model) => currencyOf(prices[model ?? ""]),
    async run(request, emit, signal) {
      const nothing = { message: "", usage: { inputTokens: 0, outputTokens: 0, turns: 0 }, beforeEffect: true };
      const missing = missingFor(request.model, settings);
      const choice = parseModel(request.model ?? "");
      if (missing !== null || "problem" in choice) {
        return { ...nothing, outcome: "error", reason: { code: "provider", text: missing ?? "" } };
      }
      // The SDK reports on the console where it is not told otherwise.
      globalThis.AI_SDK_LOG_WARNINGS = false;
      const [{ openModel }, { runLoop }] = await Promise.all([import("./model.ts"), import("./loop.ts")]);
      return runLoop({
        model: await openModel(choice, settings),
        price: prices[request.model ?? ""] ?? null,
        request,
        emit,
        signal,
        mask,
        clock,
      });
    },
  };
}

/** A price in two currencies cannot be summed up. */
function currencyOf(price: Price | undefined): string | null {
  return price !== undefined && price.input.currency === price.output.currency ? price.input.currency : null;
}
