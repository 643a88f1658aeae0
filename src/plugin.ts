/** What a plug-in is written with: a module whose default export is what {@link definePlugin} returns. */
import type { Plugin } from "./ports/plugin.ts";

export type { PluginNode } from "./model/node.ts";
export type { TypeSpec } from "./model/type-spec.ts";
export type { Json, JsonObject } from "./model/json.ts";
export type { CapturedText, NodeResult, Reason, ReasonCode } from "./model/outcome.ts";
export type { ActionContext, Capabilities, Progress, Values } from "./ports/performer.ts";
export type { NodePlugin, Plugin, PluginField } from "./ports/plugin.ts";
export type { ProcessEnd, ProcessResult, ProcessRunner, ProcessSpec } from "./ports/processes.ts";
export type { Tool, ToolContext, ToolResult } from "./ports/tool.ts";

/** Types a plug-in where it is written; the value is the same. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
