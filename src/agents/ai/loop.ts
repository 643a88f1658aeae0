import type { ModelMessage, ToolModelMessage } from "ai";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { tooDeepText } from "../../model/nesting.ts";
import type { ReasonCode, Usage } from "../../model/outcome.ts";
import { zeroUsage } from "../../model/usage.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentRequest, AgentResult } from "../../ports/provider.ts";
import { answerSchema, checkAnswer, isStructured, readAnswer, type Answer } from "../answer.ts";
import { cancelled } from "../ending.ts";
import { pause } from "../../runtime/time/alarm.ts";
import { oneLine, type Mask } from "../../runtime/text.ts";
import type { ModelCall, ToolDefinition } from "./conversation.ts";
import type { Fault } from "./faults.ts";
import { answerInTool, giveUpTool, instructionsOf } from "./instructions.ts";
import type { Model } from "./model.ts";
import { costOf, type Price } from "./settings.ts";
import { Toolbox, type CallReply } from "./toolbox.ts";
import { takeTurn, type ModelTurn } from "./turn.ts";
import type { Tokens } from "./tokens.ts";

type Stop = Extract<AgentEvent, { type: "stop" }>["why"];
type End = Omit<AgentResult, "usage" | "beforeEffect">;

export interface LoopParts {
  readonly model: Model;
  /** Null where it is not known. */
  readonly price: Price | null;
  readonly request: AgentRequest;
  readonly emit: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
  readonly mask: Mask;
  readonly clock: Clock;
}

/** Runs a model with tools until it ends its turn, gives up or meets a limit. Every fault ends in a result. */
export async function runLoop(parts: LoopParts): Promise<AgentResult> {
  return new Loop(parts).run();
}

class Loop {
  readonly #model: Model;
  readonly #price: Price | null;
  readonly #request: AgentRequest;
  readonly #emit: (event: AgentEvent) => void;
  readonly #signal: AbortSignal;
  readonly #toolbox: Toolbox;
  readonly #answerSchema: JsonObject | null;
  readonly #tools: readonly ToolDefinition[];
  readonly #messages: ModelMessage[];
  #usage: Usage = zeroUsage;
  #repairsLeft: number = limits.repairTurns;
  readonly #clock: Clock;
  #pauses = 0;

  constructor({ model, price, request, emit, signal, mask, clock }: LoopParts) {
    this.#clock = clock;
    this.#model = model;
    this.#price = price;
    this.#request = request;
    this.#emit = emit;
    this.#signal = signal;
    this.#toolbox = new Toolbox(request, emit, mask);
    this.#answerSchema = answerSchema(request);
    this.#tools = [...this.#toolbox.definitions().filter(({ name }) => !own.has(name)), giveUp, ...this.#answerTool()];
    this.#messages = [{ role: "user", content: promptOf(request) }];
  }

  #answerTool(): readonly ToolDefinition[] {
    if (this.#answerSchema === null) return [];
    return [{ name: answerInTool, description: "Gives the answer and ends the work.", input: this.#answerSchema }];
  }

  async run(): Promise<AgentResult> {
    const { turns } = this.#request;
    for (let turn = 1; turn <= turns; turn += 1) {
      const end = await this.#turn();
      if (end !== null) return this.#result(end);
    }
    return this.#result(this.#fail("turn_limit", `the agent had not finished after ${turns} turns`, "turn_limit"));
  }

  #result(end: End): AgentResult {
    return { ...end, usage: this.#usage, beforeEffect: !this.#toolbox.touched };
  }

  /** One answer of the model and what it asks for; null when the conversation goes on. */
  async #turn(): Promise<End | null> {
    if (this.#signal.aborted) return this.#cancelled();
    const turn = await this.#ask();
    this.#count(turn.tokens);
    if ("aborted" in turn) return this.#cancelled();
    if ("fault" in turn) {
      this.#emit({ type: "stop", why: "error" });
      return { outcome: "error", message: "", ...turn.fault };
    }
    this.#messages.push(...turn.messages);
    switch (turn.finish) {
      case "refusal":
        return this.#fail("refusal", oneLine(`the model refused: ${turn.text || "no words"}`), "refusal", turn.text);
      case "length":
        return this.#fail("output_limit", "the model's answer was longer than it may be", "output_limit", turn.text);
      case "garbled":
        this.#messages.push({
          role: "user",
          content: `Your tool call could not be read: its arguments are no valid JSON, or ${tooDeepText}. Send it again.`,
        });
        return null;
      case "end":
        return turn.calls.length === 0 ? this.#finish(turn) : this.#answerCalls(turn);
    }
  }

  /**
   * Asks the model. A pause that its provider asks for in the middle of the
   * work is kept, so that nothing of the work is lost.
   */
  async #ask(): ReturnType<typeof takeTurn> {
    const instructions = instructionsOf(this.#request, this.#answerSchema !== null);
    const asked = { model: this.#model, instructions, messages: this.#messages, tools: this.#tools };
    for (;;) {
      const turn = await takeTurn(asked, this.#emit, this.#signal, this.#request.onSign);
      const ms = "fault" in turn ? this.#pauseAfter(turn.fault) : null;
      if (ms === null) return turn;
      this.#pauses += 1;
      this.#emit({ type: "paused", why: ms.why, ms: ms.ms });
      await pause(this.#clock, ms.ms, this.#signal);
    }
  }

  /**
   * Before there is work to lose the run itself waits, and need not be kept in
   * memory; after an effect it could not begin anew.
   */
  #pauseAfter({ reason, retryAfterMs }: Fault): { readonly why: "quota" | "overloaded"; readonly ms: number } | null {
    const { code } = reason;
    if (retryAfterMs === undefined || (code !== "quota" && code !== "overloaded")) return null;
    const most = this.#toolbox.touched ? limits.quotaWaitMaxMs : limits.quotaPauseMs;
    if (this.#messages.length === 1 || retryAfterMs > most || this.#pauses >= limits.quotaWaits) return null;
    return { why: code, ms: retryAfterMs };
  }

  #count({ input, output, estimated }: Tokens): void {
    const inputTokens = this.#usage.inputTokens + input;
    const outputTokens = this.#usage.outputTokens + output;
    const cost = this.#price === null ? {} : costOf(this.#price, inputTokens, outputTokens);
    const guessed = estimated || this.#usage.estimated === true ? { estimated: true as const } : {};
    this.#usage = { inputTokens, outputTokens, turns: this.#usage.turns + 1, ...cost, ...guessed };
    this.#emit({ type: "usage", usage: this.#usage });
  }

  /** The model ended its turn: its last message is the answer. One without a word is none. */
  async #finish(turn: ModelTurn): Promise<End | null> {
    const answer = await this.#read(turn.text);
    if (!("problem" in answer)) return this.#succeed(turn.text, answer);
    if (this.#repairsLeft === 0) return this.#unusable(answer.problem, turn.text);
    this.#repairsLeft -= 1;
    this.#messages.push({ role: "user", content: `Your answer cannot be used: ${answer.problem}. Answer again.` });
    return null;
  }

  #read(text: string): Promise<Answer> {
    if (text.trim() === "") return Promise.resolve({ problem: "it is empty" });
    return isStructured(this.#request) ? readAnswer(text, this.#request) : Promise.resolve({});
  }

  /** Carries the calls out in order. Every call gets an answer, as the protocols of the vendors require. */
  async #answerCalls(turn: ModelTurn): Promise<End | null> {
    const content: ToolModelMessage["content"] = [];
    for (const [index, call] of turn.calls.entries()) {
      this.#emit({ type: "tool_call", id: call.id, tool: call.tool, input: call.input });
      const reply = index < limits.toolCallsPerTurn ? await this.#call(call, turn) : tooMany;
      if (this.#signal.aborted) return this.#cancelled();
      if ("outcome" in reply) return reply;
      const output = { type: reply.ok ? ("text" as const) : ("error-text" as const), value: reply.text };
      content.push({ type: "tool-result", toolCallId: call.id, toolName: call.tool, output });
    }
    this.#messages.push({ role: "tool", content });
    return null;
  }

  async #call(call: ModelCall, turn: ModelTurn): Promise<CallReply | End> {
    if (call.tool === giveUpTool && call.problem === undefined) return this.#giveUp(call);
    if (call.tool === answerInTool && this.#answerSchema !== null && call.problem === undefined) {
      return this.#answer(call, this.#answerSchema, turn);
    }
    return this.#toolbox.call(call, this.#signal);
  }

  #giveUp(call: ModelCall): End {
    const { input } = call;
    const named = input !== null && typeof input === "object" && "reason" in input ? input.reason : null;
    const reason = typeof named === "string" ? named : "no reason given";
    return this.#fail("give_up", oneLine(`the agent gave up: ${reason}`), "give_up", reason);
  }

  async #answer(call: ModelCall, schema: JsonObject, turn: ModelTurn): Promise<CallReply | End> {
    const answer = await checkAnswer(call.input, schema);
    if (!("problem" in answer)) return this.#succeed(turn.text || spoken(answer), answer);
    if (this.#repairsLeft === 0) return this.#unusable(answer.problem, turn.text);
    this.#repairsLeft -= 1;
    const text = `the answer does not fit: ${answer.problem}`;
    this.#emit({ type: "tool_result", id: call.id, tool: call.tool, ok: false, output: text });
    return { ok: false, text };
  }

  #succeed(message: string, answer: Exclude<Answer, { problem: string }>): End {
    this.#emit({ type: "stop", why: "end_turn" });
    return { outcome: "success", message, ...answer };
  }

  #unusable(problem: string, message: string): End {
    return this.#fail("output_invalid", oneLine(`the agent's answer cannot be used: ${problem}`), "end_turn", message);
  }

  #fail(code: ReasonCode, text: string, why: Stop, message = ""): End {
    this.#emit({ type: "stop", why });
    return { outcome: "failure", reason: { code, text }, message };
  }

  #cancelled(): End {
    this.#emit({ type: "stop", why: "cancelled" });
    return cancelled;
  }
}

function promptOf({ prompt, earlier }: AgentRequest): string {
  return earlier === undefined ? prompt : `${prompt.trimEnd()}\n\n${earlier}`;
}

const giveUp: ToolDefinition = {
  name: giveUpTool,
  description: "Ends the work because the task cannot be done. Say why.",
  input: { type: "object", properties: { reason: { type: "string" } }, required: ["reason"] },
};

/** Names a tool of the registry cannot take. */
const own: ReadonlySet<string> = new Set([giveUpTool, answerInTool]);

const tooMany: CallReply = { ok: false, text: `not carried out: at most ${limits.toolCallsPerTurn} calls in one turn` };

function spoken(answer: Exclude<Answer, { problem: string }>): string {
  return answer.option ?? JSON.stringify(answer.value);
}
