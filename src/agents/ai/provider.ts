import { untouched } from "../ending.ts";
import type { AgentSettings } from "../../model/agent-settings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentProvider } from "../../ports/provider.ts";
import type { Mask } from "../../runtime/text.ts";
import { judge } from "../policy/policy.ts";
import { missingFor, parseModel, type AiSettings, type Price, type Prices } from "./settings.ts";

/** Agents made of a model and our own tools. The SDK is loaded when the first one runs. */
export function createAiProvider(settings: AiSettings, mask: Mask, clock: Clock, prices: Prices = {}): AgentProvider {
  return {
    name: "ai",
    missing: (model, node) => missingFor(model, settings) ?? (node === undefined ? null : unheldReading(node)),
    currencyOf: (model) => currencyOf(prices[model ?? ""]),
    async run(request, emit, signal) {
      const missing = missingFor(request.model, settings);
      const choice = parseModel(request.model ?? "");
      if (missing !== null || "problem" in choice) {
        return { ...untouched, outcome: "error", reason: { code: "provider", text: missing ?? "" } };
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

/**
 * Own tools are held to what may be read, and the commands of the author are the
 * author's; a command of the model reads what it likes.
 */
function unheldReading({ context, tools, policy = { mode: "allow_all" } }: AgentSettings): string | null {
  if (context?.only !== "require" || tools?.includes("run") === false) return null;
  const run = { tool: "run", access: "command", command: null, isTool: () => true } as const;
  if (judge(policy, run).verdict === "denied") return null;
  return "`context.only: require` cannot hold the tool `run`; leave it out of `tools`, let the policy allow only commands that you list, or use `only: report`";
}
