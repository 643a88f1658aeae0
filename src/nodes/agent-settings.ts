import type { AgentContext, AgentSettings } from "../model/agent-settings.ts";

/**
 * The settings of a node over those of its document and the configuration. A level that names a provider does not take
 * its model from a level below: that one was meant for another provider.
 */
export function settingsOf(node: AgentSettings, document: AgentSettings, configured: AgentSettings): AgentSettings {
  const levels = [node, document, configured];
  const pick = <K extends keyof AgentSettings>(key: K, from = levels): AgentSettings[K] | undefined =>
    from.map((level) => level[key]).find((value) => value !== undefined);
  const provider = levels.findIndex((level) => level.provider !== undefined);
  const all = {
    provider: pick("provider"),
    model: pick("model", provider < 0 ? levels : levels.slice(0, provider + 1)),
    tools: pick("tools"),
    policy: pick("policy"),
    turns: pick("turns"),
    stallMs: pick("stallMs"),
    context: contextOf(levels),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Each part of a context from the nearest level that has it. */
function contextOf(levels: readonly AgentSettings[]): AgentContext | undefined {
  const parts = levels.flatMap(({ context }) => (context === undefined ? [] : [context])).toReversed();
  return parts.length === 0 ? undefined : parts.reduce((below, own) => ({ ...below, ...own }));
}
