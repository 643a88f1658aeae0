import { jsonSchema, streamText, type JSONSchema7, type ModelMessage, type TextStreamPart, type ToolSet } from "ai";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { isTooDeep } from "../../model/nesting.ts";
import { Speech } from "../speech.ts";
import type { ModelCall, ToolDefinition } from "./conversation.ts";
import { classify, contextOverflow, cutShort, type Fault } from "./faults.ts";
import type { Model } from "./model.ts";
import { type Tokens, tokensOf } from "./tokens.ts";

/** One answer of the model. */
export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** `garbled`: the vendor itself could not read the model's tool call. */
  readonly finish: "end" | "refusal" | "length" | "garbled";
  readonly tokens: Tokens;
  /** What the model said, in the form it must be given back. */
  readonly messages: readonly ModelMessage[];
}

export interface TurnRequest {
  readonly model: Model;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
}

type Part = TextStreamPart<ToolSet>;

/** A turn that the signal ended. */
export interface Aborted {
  readonly aborted: true;
  readonly tokens: Tokens;
}

/** Asks the model once, streaming what it says. Retries nothing: that is the engine's. */
export async function takeTurn(
  request: TurnRequest,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
  onSign: () => void = () => undefined,
): Promise<ModelTurn | { readonly fault: Fault; readonly tokens: Tokens } | Aborted> {
  const spoken = new Collector(request, emit);
  const aborted = (): Aborted => ({ aborted: true, tokens: spoken.tokens });
  const enough = new AbortController();
  try {
    const result = streamText({
      model: request.model,
      instructions: request.instructions,
      messages: [...request.messages],
      tools: toolSet(request.tools),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, enough.signal]),
      // Errors come as parts of the stream; without this they are also printed.
      onError: () => undefined,
      // Automatic caching of the conversation so far; other vendors ignore it.
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    });
    for await (const part of result.stream) {
      onSign();
      spoken.take(part);
      if (signal.aborted) return aborted();
      if (spoken.isTooLong()) return { ...spoken.cut(), messages: [] };
    }
    spoken.flush();
    if (signal.aborted) return aborted();
    const ended = spoken.end();
    if ("fault" in ended) return ended;
    // Neither the journal nor the vendor could be told of such a call.
    if (ended.calls.some(({ input }) => isTooDeep(input)))
      return { ...ended, calls: [], finish: "garbled", messages: [] };
    // No vendor takes back a message that says nothing.
    const messages = (await result.responseMessages).filter(
      ({ role, content }) => role === "assistant" && content.length > 0,
    );
    return { ...ended, messages };
  } catch (error) {
    spoken.flush();
    return signal.aborted ? aborted() : { fault: classify(error), tokens: spoken.tokens };
  } finally {
    // Whatever is still on its way is not waited for.
    enough.abort();
  }
}

function toolSet(tools: readonly ToolDefinition[]): ToolSet {
  // Arguments are validated when a call is made, so that a bad one can go back to the model.
  const entries = tools.map((tool) => {
    const inputSchema = jsonSchema(tool.input as JSONSchema7); // JSON by type, a schema by contract of the tool
    return [tool.name, { description: tool.description, inputSchema }] as const;
  });
  return Object.fromEntries(entries);
}

/** Gathers the parts of one turn and streams its text in pieces. */
class Collector {
  readonly #speech: Speech;
  readonly #calls: ModelCall[] = [];
  #text = "";
  /** An answer came. */
  #began = false;
  /** Of all it said, in UTF-16 code units. */
  #length = 0;
  #fault: Fault | null = null;
  #finish: { readonly reason: string; readonly raw: string | undefined } | null = null;
  #said: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined } | null = null;
  readonly #asked: TurnRequest;

  constructor(asked: TurnRequest, emit: (event: AgentEvent) => void) {
    this.#asked = asked;
    this.#speech = new Speech(emit);
  }

  /** Of a turn that broke off before the provider counted it, what it was asked and at least what it has said. */
  get tokens(): Tokens {
    const { instructions, messages, tools } = this.#asked;
    if (this.#said === null && !this.#began) return { input: 0, output: 0, estimated: false };
    const unsaid = { inputTokens: undefined, outputTokens: undefined };
    return tokensOf(this.#said ?? unsaid, { instructions, messages, tools }, this.#length);
  }

  flush(): void {
    this.#speech.flush();
  }

  take(part: Part): void {
    switch (part.type) {
      case "start-step":
        this.#began = true;
        return;
      case "tool-input-delta":
        this.#length += part.delta.length;
        return;
      case "text-delta":
        this.#text += part.text;
        this.#length += part.text.length;
        return this.#speech.say("text", part.text);
      case "reasoning-delta":
        this.#length += part.text.length;
        return this.#speech.say("thinking", part.text);
      case "text-end":
      case "reasoning-end":
        return this.flush();
      case "tool-call":
        this.flush();
        return void this.#calls.push(modelCall(part));
      case "error":
        this.#fault ??= classify(part.error);
        return;
      case "finish-step":
        this.#finish = { reason: part.finishReason, raw: part.rawFinishReason };
        this.#said = part.usage;
        return;
      default:
        return;
    }
  }

  isTooLong(): boolean {
    return this.#length > limits.agentMessageBytes;
  }

  /** The answer as one that met its output limit. */
  cut(): Omit<ModelTurn, "messages"> {
    this.flush();
    return { text: this.#text, calls: [], finish: "length", tokens: this.tokens };
  }

  end(): Omit<ModelTurn, "messages"> | { readonly fault: Fault; readonly tokens: Tokens } {
    const { tokens } = this;
    const finish = this.#fault === null ? this.#finishOf() : { fault: this.#fault };
    if (typeof finish !== "string") return { ...finish, tokens };
    return { text: this.#text, calls: this.#calls, finish, tokens };
  }

  #finishOf(): ModelTurn["finish"] | { readonly fault: Fault } {
    const { reason, raw } = this.#finish ?? { reason: "other", raw: undefined };
    if (raw === "model_context_window_exceeded") return { fault: contextOverflow() };
    switch (reason) {
      case "stop":
      case "tool-calls":
        return "end";
      case "length":
        return "length";
      case "content-filter":
        return "refusal";
      default:
        return raw === "MALFORMED_FUNCTION_CALL" ? "garbled" : { fault: cutShort(raw ?? "no reason for its end came") };
    }
  }
}

function modelCall(part: Extract<Part, { type: "tool-call" }>): ModelCall {
  // Parsed from JSON, or its text.
  const call = { id: part.toolCallId, tool: part.toolName, input: (part.input ?? null) as Json };
  if (part.invalid !== true) return call;
  return { ...call, problem: part.error instanceof Error ? part.error.message : "the arguments could not be read" };
}
