import { existsSync } from "node:fs";
import type { AgentProvider } from "../../ports/provider.ts";
import type { Mask } from "../../runtime/text.ts";
import type { RecordOptions } from "./record.ts";

/**
 * Plays recordings from `folder` instead of asking an agent; under `loose`
 * also those of another prompt, which it tells.
 */
export function createReplayProvider(folder: string | null, mask: Mask, loose = false): AgentProvider {
  const missing = (): string | null => {
    if (folder === null)
      return "replay has no folder of cassettes; name it, agent: {provider: replay, cassettes: DIR}, or record some with --record DIR";
    return existsSync(folder)
      ? null
      : `the folder of cassettes ${folder} does not exist; record some with --record DIR`;
  };
  return {
    name: "replay",
    missing,
    currencyOf: () => "nothing",
    async run(request, emit, signal) {
      const { replay } = await import("./play.ts");
      return replay({ folder: folder ?? "", loose }, mask, request, emit, signal);
    },
  };
}

/** The same provider, with a cassette of each of its runs. */
export function recording(provider: AgentProvider, options: RecordOptions): AgentProvider {
  return {
    name: provider.name,
    missing: (model, settings) => provider.missing(model, settings),
    currencyOf: (model) => provider.currencyOf?.(model) ?? null,
    async run(request, emit, signal) {
      const { record } = await import("./record.ts");
      return record(provider, options, request, emit, signal);
    },
  };
}
