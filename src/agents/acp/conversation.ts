import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallUpdate,
  ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { jsonText } from "../../model/nesting.ts";
import type { Usage } from "../../model/outcome.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { soundAmount, soundCount } from "../counts.ts";
import { filesRead } from "../policy/command-reads.ts";
import { Speech } from "../speech.ts";
import type { Verdict } from "../policy/policy.ts";
import { accessOf, actionOf, reply, verdictOf, type Action, type Described } from "./permission.ts";
import { shownPath } from "./workspace.ts";

/** Why the agent has to be stopped. */
export type Breach = { readonly code: "turn_limit" | "refusal"; readonly text: string };

interface Call {
  action: Action;
  title: string;
  announced: boolean;
  done: boolean;
  /** A person or the policy let it through when the agent asked. */
  granted: boolean;
  /** The agent asked, and was told no to this. */
  denied: string | null;
}

export interface ConversationParts {
  readonly request: AgentRequest;
  readonly emit: (event: AgentEvent) => void;
  /** Its files are not ours. */
  readonly boxed: boolean;
}

/** Turns what the agent reports into the event stream, counts its calls and holds it to the policy. */
export class Conversation {
  readonly #request: AgentRequest;
  readonly #emit: (event: AgentEvent) => void;
  readonly #onBreach: (breach: Breach) => void;
  readonly #boxed: boolean;
  readonly #speech: Speech;
  readonly #calls = new Map<string, Call>();
  readonly #denied = new Set<string>();
  #message = "";
  #last: Call | null = null;
  #touched = false;
  #over = false;
  #countedPieces = false;
  #tokens: { readonly inputTokens: number; readonly outputTokens: number } | null = null;
  /** US dollars; null where the agent does not say, or counts in something else. */
  #cost: number | null = null;

  constructor({ request, emit, boxed }: ConversationParts, onBreach: (breach: Breach) => void) {
    this.#boxed = boxed;
    this.#request = request;
    this.#emit = emit;
    this.#onBreach = (breach) => {
      this.#over = true;
      onBreach(breach);
    };
    this.#speech = new Speech(emit);
  }

  /** What the agent said since its last tool call. */
  get message(): string {
    return this.#message.trim();
  }

  get calls(): number {
    return this.#calls.size;
  }

  /** What it was told no to, where that was the last thing it was about to do and it has said nothing since. */
  get lastDenied(): string | null {
    return this.message === "" ? (this.#last?.denied ?? null) : null;
  }

  /** True once it began something that may have an effect. */
  get touched(): boolean {
    return this.#touched;
  }

  /** What the agent says it used; undefined where it does not say. */
  usage(): Usage | undefined {
    if (this.#tokens === null) return undefined;
    return {
      ...this.#tokens,
      turns: this.calls + 1,
      ...(this.#cost === null ? {} : { cost: this.#cost, currency: "USD" }),
    };
  }

  /** The end of a prompt. What an agent has reported piece by piece it may sum up here: it is not counted twice. */
  endPrompt(usage: unknown): void {
    if (!this.#countedPieces) this.#count(usage);
    this.#countedPieces = false;
  }

  /** Whether it was a report of tokens. */
  #count(usage: unknown): boolean {
    const said = { inputTokens: null, outputTokens: null, ...(typeof usage === "object" ? usage : {}) };
    const [input, output] = [soundCount(said.inputTokens), soundCount(said.outputTokens)];
    if (input === undefined || output === undefined) return false;
    const before = this.#tokens ?? { inputTokens: 0, outputTokens: 0 };
    this.#tokens = { inputTokens: before.inputTokens + input, outputTokens: before.outputTokens + output };
    const now = this.usage();
    if (now !== undefined) this.#emit({ type: "usage", usage: now });
    return true;
  }

  /** A new prompt in the same session. */
  restart(): void {
    this.flush();
    this.#message = "";
  }

  flush(): void {
    this.#speech.flush();
  }

  /** It is being stopped: whatever it asks from now on is a no. */
  get over(): boolean {
    return this.#over;
  }

  /** An effect that did not come by a tool call. */
  touch(): void {
    this.#touched = true;
  }

  take(update: SessionUpdate): void {
    this.#request.onSign?.();
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type !== "text") return;
        this.#message = lastOf(this.#message + update.content.text);
        if (this.#count(update._meta?.["usage"])) this.#countedPieces = true;
        return this.#speech.say("text", update.content.text);
      case "agent_thought_chunk":
        return update.content.type === "text" ? this.#speech.say("thinking", update.content.text) : undefined;
      case "tool_call":
      case "tool_call_update":
        return this.#call(update);
      case "usage_update":
        // The sum so far: it never falls.
        if (update.cost?.currency === "USD")
          this.#cost = Math.max(this.#cost ?? 0, soundAmount(update.cost.amount, limits.reportedCostUnits) ?? 0);
        return;
      default:
        return;
    }
  }

  #call(update: Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>): void {
    this.flush();
    const call = this.#known(update);
    const { status } = update;
    if (status === "in_progress" || status === "completed") this.#began(call);
    // Its arguments may come only with an update: it is announced once they are there, or once it runs.
    if (isFilled(update.rawInput) || (status ?? "pending") !== "pending") this.#announce(call, update);
    if ((status !== "completed" && status !== "failed") || call.done) return;
    call.done = true;
    if (status === "completed") this.#noteReads(call.action);
    const content = update.content ?? [];
    this.#diffs(content);
    const output = textOf(content) || (update.rawOutput === undefined ? "" : asText(update.rawOutput));
    this.#emit({
      type: "tool_result",
      id: update.toolCallId,
      tool: call.action.tool,
      ok: status === "completed",
      output,
    });
  }

  #announce(call: Call, { toolCallId, rawInput }: ToolCallUpdate): void {
    if (call.announced) return;
    call.announced = true;
    const input = (rawInput ?? { title: call.title }) as Json; // parsed from JSON
    this.#emit({ type: "tool_call", id: toolCallId, tool: call.action.tool, input });
  }

  /** The call, with what this message adds to it. */
  #known(update: Described & { readonly toolCallId: string }): Call {
    const known = this.#calls.get(update.toolCallId);
    const action = actionOf(update, known?.action);
    if (known !== undefined) {
      // What was let through was another action.
      if (action.kind !== known.action.kind || action.command !== known.action.command) known.granted = false;
      known.action = action;
      known.title = update.title ?? known.title;
      return known;
    }
    const call: Call = {
      action,
      title: update.title ?? "",
      announced: false,
      done: false,
      granted: false,
      denied: null,
    };
    this.#calls.set(update.toolCallId, call);
    this.#message = "";
    this.#last = call;
    if (this.#calls.size > this.#request.turns) {
      this.#onBreach({
        code: "turn_limit",
        text: `the agent had not finished after ${this.#request.turns} tool calls`,
      });
    }
    return call;
  }

  /** The agent does it now. One that did not ask first is held to the policy all the same. */
  #began(call: Call): void {
    if (accessOf(call.action.kind) !== "read") this.#touched = true;
    const verdict = verdictOf(this.#request, call.action, this.#boxed);
    if (verdict.verdict === "allowed" || (verdict.verdict === "ask" && call.granted)) return;
    const why = verdict.verdict === "denied" ? verdict.why : "the policy is ask, and the agent did not";
    const what = call.action.command ?? call.title;
    const request = `${call.action.tool}: ${what}`;
    if (!this.#denied.has(request))
      this.#emit({ type: "permission", tool: call.action.tool, request: what, decision: "denied" });
    this.#denied.add(request);
    this.#onBreach({ code: "refusal", text: `the agent did what it may not (${request}): ${why}` });
  }

  /** What it read, as far as it says so. */
  #noteReads({ kind, command, paths }: Action): void {
    const { reads, workspace } = this.#request;
    if (reads === undefined) return;
    if (accessOf(kind) === "read" && kind !== "fetch") for (const path of paths) reads.claimed(path);
    if (command !== null && !this.#boxed) for (const path of filesRead(command, workspace)) reads.claimed(path);
  }

  #diffs(content: readonly ToolCallContent[]): void {
    for (const one of content) {
      if (one.type !== "diff") continue;
      const path = shownPath(this.#request.workspace, one.path);
      this.#emit({ type: "diff", path, before: one.oldText ?? null, after: one.newText });
    }
  }

  /** Answers a permission request by policy, and where that says so by a person. */
  async permit({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    this.flush();
    const call = this.#known(toolCall);
    this.#announce(call, toolCall);
    const verdict = verdictOf(this.#request, call.action, this.#boxed);
    const what = call.action.command ?? call.title;
    const granted = await this.#mayGo(verdict, call.action.tool, what);
    call.granted = granted;
    call.denied = granted ? null : `${call.action.tool}: ${what}`;
    this.#emit({ type: "permission", tool: call.action.tool, request: what, decision: granted ? "allowed" : "denied" });
    return reply(options, granted);
  }

  async #mayGo({ verdict }: Verdict, tool: string, what: string): Promise<boolean> {
    if (this.#over || verdict === "denied") return false;
    if (verdict === "allowed") return true;
    return (await this.#request.ask?.(`${tool}: ${what}`)) === "granted" && !this.#over;
  }
}

/** What is kept of a message: never unbounded, and cut seldom. */
function lastOf(message: string): string {
  return message.length <= 2 * limits.agentMessageBytes ? message : message.slice(-limits.agentMessageBytes);
}

/** Some announce a call with arguments that are still empty. */
function isFilled(input: unknown): boolean {
  return input !== undefined && (typeof input !== "object" || input === null || Object.keys(input).length > 0);
}

function textOf(content: readonly ToolCallContent[]): string {
  const texts = content.flatMap((one) =>
    one.type === "content" && one.content.type === "text" ? [one.content.text] : [],
  );
  return texts.join("\n");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}
