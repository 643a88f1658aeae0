import { claudeScope, geminiScope, qwenScope, type ToolScope } from "./tool-scope.ts";

/** How an agent that speaks the Agent Client Protocol is started. */
export interface AcpAgent {
  /** Program and arguments; the program is looked up on the PATH where it is no path. */
  readonly argv: readonly [string, ...string[]];
  /** Variables of our environment that it needs to reach its model, beside the common ones. */
  readonly variables: readonly string[];
  /** What to do where the program is not there. */
  readonly install: string;
  /** How it is held to some of its tools; absent where nothing can do that. */
  readonly scope?: ToolScope;
}

/** Agents known by name. */
export const presets = {
  claude: {
    argv: ["claude-agent-acp"],
    variables: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "ANTHROPIC_MODEL",
      "CLAUDE_CONFIG_DIR",
    ],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    scope: claudeScope,
  },
  codex: {
    argv: ["codex-acp"],
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"],
    install: "npm install -g @agentclientprotocol/codex-acp",
  },
  gemini: {
    argv: ["gemini", "--acp"],
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"],
    install: "npm install -g @google/gemini-cli",
    scope: geminiScope,
  },
  opencode: {
    argv: ["opencode", "acp"],
    variables: ["OPENCODE_CONFIG", "OPENCODE_API_KEY"],
    install: "npm install -g opencode-ai",
  },
  qwen: {
    argv: ["qwen", "--acp"],
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_HOME"],
    install: "npm install -g @qwen-code/qwen-code",
    scope: qwenScope,
  },
} as const satisfies Readonly<Record<string, AcpAgent>>;
