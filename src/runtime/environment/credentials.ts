/**
 * Variables that hold a key or token of a model provider or coding agent, configured or not. A child gets none of them
 * unless its node names it in `secrets:`; their values are masked wherever they show up.
 */
export const providerKeys: ReadonlySet<string> = new Set([
  "AI_GATEWAY_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ASSEMBLYAI_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "BASETEN_API_KEY",
  "BOITATA_API_KEY",
  "CEREBRAS_API_KEY",
  "CLAUDE_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CODESTRAL_API_KEY",
  "CODEX_API_KEY",
  "COHERE_API_KEY",
  "COPILOT_GITHUB_TOKEN",
  "CO_API_KEY",
  "CURSOR_API_KEY",
  "DASHSCOPE_API_KEY",
  "DEEPGRAM_API_KEY",
  "DEEPINFRA_API_KEY",
  "DEEPINFRA_TOKEN",
  "DEEPSEEK_API_KEY",
  "ELEVENLABS_API_KEY",
  "FAL_API_KEY",
  "FAL_KEY",
  "FIREWORKS_API_KEY",
  "GEMINI_API_KEY",
  "GITHUB_COPILOT_TOKEN",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GROQ_API_KEY",
  "HF_TOKEN",
  "HUGGINGFACEHUB_API_TOKEN",
  "HUGGINGFACE_API_KEY",
  "HUGGING_FACE_HUB_TOKEN",
  "INCEPTION_API_KEY",
  "KIMI_API_KEY",
  "LITELLM_API_KEY",
  "LITELLM_MASTER_KEY",
  "MINIMAX_API_KEY",
  "MISTRAL_API_KEY",
  "MOONSHOT_API_KEY",
  "NEBIUS_API_KEY",
  "NVIDIA_API_KEY",
  "OLLAMA_API_KEY",
  "OPENAI_ACCESS_TOKEN",
  "OPENAI_ADMIN_KEY",
  "OPENAI_API_KEY",
  "OPENCODE_API_KEY",
  "OPENROUTER_API_KEY",
  "PERPLEXITY_API_KEY",
  "QWEN_API_KEY",
  "REPLICATE_API_TOKEN",
  "SAMBANOVA_API_KEY",
  "TOGETHERAI_API_KEY",
  "TOGETHER_AI_API_KEY",
  "TOGETHER_API_KEY",
  "VERCEL_AI_GATEWAY_API_KEY",
  "VOYAGE_API_KEY",
  "WATSONX_API_KEY",
  "WATSONX_APIKEY",
  "XAI_API_KEY",
  "ZAI_API_KEY",
  "ZHIPUAI_API_KEY",
  "ZHIPU_API_KEY",
]);

/** Trammel's own: its data folder, its tokens, and what an outer run told about itself. */
function isOwn(name: string): boolean {
  return name.startsWith("TRAMMEL_");
}

export function isWithheld(name: string): boolean {
  return providerKeys.has(name) || isOwn(name);
}

/** Values of the environment that are secret whatever the configuration says: to be masked from the start. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isSecret = (name: string): boolean => providerKeys.has(name) || /^TRAMMEL_\w*(TOKEN|KEY|SECRET)$/.test(name);
  return Object.entries(environment).flatMap(([name, value]) => (isSecret(name) && value ? [value] : []));
}
