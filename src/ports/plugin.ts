import type { NodeClass, PluginNode } from "../model/node.ts";
import type { TypeSpec } from "../model/type-spec.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext, Capabilities } from "./performer.ts";

export interface PluginField {
  readonly type: TypeSpec;
  readonly required?: boolean;
  /**
   * References in its texts are filled in before the node is performed: whoever
   * asks for that keeps them out of what is executed.
   */
  readonly references?: boolean;
  readonly description: string;
}

/** A node type from outside. Its fields are closed and checked like those of the built-in ones. */
export interface NodePlugin {
  /** Name in `type:`; must not be a built-in one. */
  readonly type: string;
  readonly class: Extract<NodeClass, "deterministic" | "agentic">;
  readonly fields: Readonly<Record<string, PluginField>>;
  /**
   * Names of the tools of servers that it uses; `*` at the end stands for all that begin
   * so. Servers of no such tool are not started for it.
   */
  readonly tools?: readonly string[];
  /** Why this node cannot be carried out here, without its name, which is told with it; null when it can. */
  missing?(node: PluginNode, can: Capabilities): string | null;
  perform(context: ActionContext<PluginNode>): Promise<NodeResult>;
}

export interface Plugin {
  readonly name: string;
  readonly nodes: readonly NodePlugin[];
}
