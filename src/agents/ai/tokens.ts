import type { ModelMessage } from "ai";
import { limits } from "../../model/limits.ts";
import { soundCount } from "../counts.ts";
import type { ToolDefinition } from "./conversation.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** The provider did not say. */
  readonly estimated: boolean;
}

interface Asked {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * What a provider says a turn took; where it says nothing, nothing but zeros or what is no count,
 * an estimate from the text, so that a budget still bounds it.
 */
export function tokensOf(
  said: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined },
  asked: Asked,
  spokenCharacters: number,
): Tokens {
  const { inputTokens = 0, outputTokens = 0 } = said;
  const [input, output] = [soundCount(inputTokens), soundCount(outputTokens)];
  if (input !== undefined && output !== undefined && input + output > 0) return { input, output, estimated: false };
  return { input: estimate(JSON.stringify(asked).length), output: estimate(spokenCharacters), estimated: true };
}

/** English has some four characters a token, code and most other languages fewer. */
function estimate(characters: number): number {
  return Math.ceil(characters / limits.charactersPerToken);
}
