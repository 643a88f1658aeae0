/** Settings an agentic node inherits: configuration < document < node. */
export interface AgentSettings {
  readonly provider?: string;
  /** `vendor/model` for the `ai` provider, e.g. `anthropic/claude-sonnet-4-5`. */
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly policy?: AgentPolicy;
  readonly turns?: number;
  readonly stallMs?: number;
  readonly context?: AgentContext;
}

export interface AgentPolicy {
  readonly mode: "allow_all" | "read_only" | "ask";
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly network?: boolean;
}

export interface AgentContext {
  readonly include?: readonly string[];
  readonly read?: readonly string[] | "repository";
  readonly only?: "require" | "report";
}
